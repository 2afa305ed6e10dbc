"""A subject's memories: what an application may do with them, how a request to remember is judged, what a run keeps."""
