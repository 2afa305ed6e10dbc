"""Models behind the `Model` port, one module per provider, and the weights of the embedded one.

| constructor | reaches | needs |
|---|---|---|
| `embedded.EmbeddedModel(weights_path, profile, threads, timeout)` | this process, over loopback | its extra, weights |
| `anthropic.AnthropicModel(profile, api_key, base_url, timeout)` | Anthropic Messages | its extra |
| `openai.OpenAIModel(profile, api_key, base_url, timeout)` | OpenAI Responses or Chat Completions | its extra |
| `gemini.GeminiModel(profile, api_key, base_url, timeout)` | Gemini | nothing |
| `openai_compatible.OpenAICompatibleModel(base_url, profile, api_key, timeout)` | Chat Completions anywhere | nothing |

`endpoint` carries the bytes of all, with one rule of time-outs, cancellation and retries. `weights.pull` gives the path
for the first. Beyond the port, `count(body)` is the provider's own count of a request's input tokens and `limits()` the
window and the longest output that its model list names; `remote` says how they fail.
"""
