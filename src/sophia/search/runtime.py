"""What computes with vectors: onnxruntime, which is told to tell nobody before it is there."""

import os

# From its import on it would note its use below the home directory, and send it.
os.putenv("ORT_DISABLE_TELEMETRY", "1")

import onnxruntime


def session(model: bytes, threads: int) -> onnxruntime.InferenceSession:
    """The model, ready to run on so many threads, which rest while nothing is asked."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
