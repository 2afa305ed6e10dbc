"""Models behind the `Model` port, all of one dialect (Chat Completions), and the weights of the embedded one.

| constructor | reaches | needs |
|---|---|---|
| `embedded.EmbeddedModel(weights_path, profile, threads, timeout)` | this process, over loopback | its extra, weights |
| `openai_compatible.OpenAICompatibleModel(base_url, profile, api_key, timeout)` | any such server | its address |

`weights.pull` gives the path for the first; `chat_http` carries the bytes of both.
"""
