"""Counters behind the `Counter` port, by the name that manifests carry as their token basis.

| name | class | exact for | needs |
|---|---|---|---|
| `qwen2.5-chatml` | `qwen.QwenCounter` | Qwen2.5 weights behind a llama.cpp server | `callsheet[embedded]` |
| `… template` | `gguf_model.gguf_counter` | a model by its GGUF file, in slow plain Python | `callsheet[embedded]` |
| `o200k` | `estimate.O200kCounter` | texts for OpenAI's models, not what stands around them | `callsheet[embedded]` |
| `estimate/utf8-3.6` | `estimate.EstimateCounter` | nothing; leans to the high side | the standard library |
| `…*1.21` | `estimate.CalibratedCounter` | nothing; one of those two, by a model's own reports | as that one |
| `anthropic count` … | `provider.ProviderCounter` | whole prompts, by the provider's endpoint | a key, a request each |
"""
