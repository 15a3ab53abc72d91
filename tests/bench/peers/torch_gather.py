"""PyTorch's gather, timed on request: the peer of the indexed gather.

Started by peers_bench as: torch_gather.py N PATTERN {gather,index_select} {warm,cold}
Messages on file descriptor 3, each a 4-byte little-endian length and the text. We say "ready" or
"missing: <why>"; to "<launches>" we answer the nanoseconds that one of so many launches between
two events took.
"""
import socket
import struct
import sys

RUN = 1024  # elements of a cluster


def receive(channel):
    def exactly(count):
        data = b""
        while len(data) < count:
            piece = channel.recv(count - len(data))
            if not piece:
                sys.exit(0)
            data += piece
        return data

    (length,) = struct.unpack("<I", exactly(4))
    return exactly(length).decode()


def send(channel, text):
    data = text.encode()
    channel.sendall(struct.pack("<I", len(data)) + data)


def make_index(torch, n, pattern):
    if pattern == "index":
        return torch.arange(n, device="cuda")
    if pattern == "permutation":
        return torch.randperm(n, device="cuda")
    runs = torch.rand(n // RUN, RUN, device="cuda").argsort(dim=1)
    return (runs + torch.arange(n // RUN, device="cuda")[:, None] * RUN).flatten()


def main():
    channel = socket.socket(fileno=3)
    n, pattern, call, cache = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4]
    try:
        import torch

        source = torch.rand(n, device="cuda")
    except Exception as error:  # PyTorch is a peer where it is there, and no need
        send(channel, f"missing: {error}".splitlines()[0])
        return
    index = make_index(torch, n, pattern).to(torch.int64 if call == "gather" else torch.int32)
    out = torch.empty(n, device="cuda")
    flushed = torch.empty(256 << 20, dtype=torch.uint8, device="cuda") if cache == "cold" else None
    operation = {
        "gather": lambda: torch.gather(source, 0, index, out=out),
        "index_select": lambda: torch.index_select(source, 0, index, out=out),
    }[call]
    operation()
    torch.cuda.synchronize()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    send(channel, f"ready {torch.__version__}")
    while True:
        launches = int(receive(channel))
        operation()
        if flushed is not None:
            flushed.zero_()
        begin.record()
        for _ in range(launches):
            operation()
        end.record()
        end.synchronize()
        send(channel, repr(begin.elapsed_time(end) * 1e6 / launches))


main()
