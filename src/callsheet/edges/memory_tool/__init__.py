"""Faces of the memory tool: the Anthropic SDK's tool, and a server of the Model Context Protocol."""
