"""What goes from one window to another: phase documents, receipts, restart points, handover notes (F10, F11, C10)."""
