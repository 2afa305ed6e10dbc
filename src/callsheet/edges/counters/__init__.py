"""Counters behind the `Counter` port, by the name that manifests carry as their token basis.

| name | class | exact for | needs |
|---|---|---|---|
| `qwen2.5-chatml` | `qwen.QwenCounter` | Qwen2.5 weights behind a llama.cpp server | `callsheet[embedded]` |
| `estimate/utf8-3.6` | `estimate.EstimateCounter` | nothing; leans to the high side | the standard library |
"""
