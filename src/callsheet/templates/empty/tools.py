"""The project's tools: functions under `@tool` with a contract, offered where a decision's allowlist names them.

from callsheet import tool

@tool(effects="read")
def look_up(order_id: str) -> Order:
    \"\"\"The status of an order. Changes nothing.\"\"\"
"""
