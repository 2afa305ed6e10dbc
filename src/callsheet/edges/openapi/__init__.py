"""HTTP APIs by their OpenAPI documents: read, and called (extra `callsheet[openapi]`)."""
