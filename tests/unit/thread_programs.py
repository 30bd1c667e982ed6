"""Random kernels whose threads wait for each other in every kind of control flow, and never in vain.

Warp operations name exactly the lanes that come to them: a mask is found by a ballot before threads part.  `u` and `v`
are the same for a block; all else differs between threads.  Results are integers, so that runs compare exactly.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

HEAD = """
__device__ int lane_up(int l, int d, int w) { int s = l - d; return s >= (l & ~(w - 1)) ? s : l; }
__device__ int lane_down(int l, int d, int w) { int s = l + d; return s <= (l | (w - 1)) ? s : l; }
__device__ int lane_xor(int l, int d, int w) { int s = l ^ d; return s <= (l | (w - 1)) ? s : l; }
__device__ int lane_idx(int l, int d, int w) { return (l & ~(w - 1)) | (d & (w - 1)); }
struct pair { int a; double b; };
"""
KERNEL = """
__global__ void k{number}(const int *x, int *out, int *sum, int n)
{{
    __shared__ int s[1024];
    int tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    int nt = blockDim.x * blockDim.y * blockDim.z, lane = tid % 32, gid = blockIdx.x * nt + tid;
    int a = x[gid], b = a * 3 + tid, c = 0, u = n, v = 2, m0 = 1, m1 = 2;
    int buf[4] = {{a, b, 7}};
    struct pair pr;
    pr.a = tid;
    pr.b = 1.5;
    s[tid] = a;
    __syncthreads();
{body}
    n = n + tid;
    out[gid * 4] += n + pr.a;
    out[gid * 4 + 1] = a ^ b;
    out[gid * 4 + 2] = c + u + v;
    out[gid * 4 + 3] = m0 ^ m1 ^ buf[lane & 3];
}}
"""
SHUFFLES = {"up": "__shfl_up_sync", "down": "__shfl_down_sync", "xor": "__shfl_xor_sync", "idx": "__shfl_sync"}


def program(seed: int, kernels: int, block: tuple[int, int, int]) -> str:
    """Host function `f(x, out, sum, n, total)`: launches kernel i on 3 blocks with parts i of `out` and `sum`."""
    x, y, z = block
    texts = [_Kernel(random.Random(seed * 1000 + i)).text(i) for i in range(kernels)]
    launches = "\n".join(f"    k{i}<<<3, block>>>(x, out + {i} * total * 4, sum + {i} * 4, n);" for i in range(kernels))
    head = "void f(const int *x, int *out, int *sum, int n, int total)"
    return HEAD + "\n".join(texts) + f"{head}\n{{\n    dim3 block({x}, {y}, {z});\n{launches}\n}}\n"


@dataclass(frozen=True)
class Scope:
    """Where statements stand: whether all threads of the block come there together, the lanes that do, and the
    variables that may be assigned or only read."""

    together: bool
    mask: str
    variables: tuple[str, ...] = ("a", "b", "c")
    readable: tuple[str, ...] = ()
    depth: int = 0


class _Kernel:
    def __init__(self, choose: random.Random) -> None:
        self.r = choose
        self.lines: list[str] = []
        self.indent = 1
        self.names = 0
        self.left = 30  # statements still to be made

    def text(self, number: int) -> str:
        while self.left > 0:
            self.body(Scope(True, "0xffffffffu"))
        return KERNEL.format(number=number, body="\n".join(self.lines))

    # --- pieces ---

    def new(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def emit(self, *lines: str) -> None:
        self.lines += ["    " * self.indent + line for line in lines]

    def one(self, scope: Scope) -> str:
        return self.r.choice(scope.variables)

    def value(self, scope: Scope, depth: int = 2) -> str:
        if depth == 0 or self.r.random() < 0.3:
            plain = [*scope.variables, *scope.readable, str(self.r.randint(0, 9)), "tid", "lane", "u", "v", "n"]
            return self.r.choice(plain)
        return f"({self.value(scope, depth - 1)} {self.r.choice('+-*^&|')} {self.value(scope, depth - 1)})"

    def common(self) -> str:
        """An expression that is the same for all threads of a block."""
        return self.r.choice(["u", "v", "u + v", "n", "(u & 3) + (int)blockIdx.x", "u * 2 + 1", "u % 7", "v ^ u"])

    def common_condition(self) -> str:
        return f"({self.common()}) % {self.r.randint(2, 4)} == {self.r.randint(0, 1)}"

    def condition(self, scope: Scope) -> str:
        k, value = self.r.randint(0, 3), self.value(scope)
        return self.r.choice([f"({value} & 3) == {k}", f"{value} % 3 == {k}", f"lane < {7 * k + 3}", f"tid > {9 * k}"])

    def inside(self, scope: Scope, **changes: object) -> None:
        self.indent += 1
        self.body(replace(scope, depth=scope.depth + 1, **changes))  # type: ignore[arg-type]
        self.indent -= 1

    # --- statements ---

    def body(self, scope: Scope) -> None:
        if self.r.random() < 0.5:
            local = self.new("w")
            self.emit(f"int {local} = {self.value(scope)};")
            scope = replace(scope, variables=(*scope.variables, local))
        for _ in range(self.r.randint(2, 4)):
            self.left -= 1
            kinds = [self.simple] * 6 + [self.table] + [self.shuffle, self.vote] * 3
            kinds += [self.barrier, self.barrier, self.change_common] if scope.together else [self.wait_for_warp]
            made = self.r.choice(kinds + self.compounds() if scope.depth < 4 and self.left > 0 else kinds)(scope)
            scope = made if made is not None else scope

    def compounds(self) -> list:  # type: ignore[type-arg]
        return [
            self.common_branch, self.branch, self.branch, self.common_loop, self.common_loop, self.loop_with_break,
            self.own_loop, self.early_return, self.switch, self.until_all_agree,
        ]  # fmt: skip

    def simple(self, scope: Scope) -> None:
        r, v = self.r, self.one(scope)
        q, other, value = self.new("q"), self.one(scope), self.value(scope)
        loop = f"for (int {q} = 0; {q} < ({other} & 3); ++{q})"
        jump = r.choice(["break", "continue"])
        self.emit(
            r.choice(
                [
                    f"{v} = {value};",
                    f"{v} += {value};",
                    f"{loop} {{ {v} += {q}; if ({v} % 5 == 0) {jump}; {v} ^= 1; }}",
                    f"if ({self.condition(scope)}) {{ {v} = {value}; }} else {{ {other} -= 1; }}",
                    f"buf[{value} & 3] = {other}; {v} += buf[{other} & 3];",
                    f"pr.a += {other}; pr.b += 0.5; {v} ^= pr.a + (int)pr.b;",
                    f"atomicAdd(&sum[{r.randint(0, 3)}], {v} & 255);",
                    f"{{ int *p = ({other} & 1) ? &m0 : &m1; *p += {value}; }}",
                    f"out[gid * 4 + {r.randint(0, 3)}] += {value};",
                ]
            )
        )

    def table(self, scope: Scope) -> Scope:
        """A loop that may do the same in all threads."""
        r, t, q, w = self.r, self.new("t"), self.new("q"), self.new("e")
        value = r.choice([f"{w} * 3", self.common(), f"{q} + u", self.one(scope)])
        then = r.choice([f"{w} += {t}[{q}] + 1;", f"if ({w} > 40) break; {w} += 3;", f"if ({q} == 2) continue; ++{w};"])
        loop = f"for (int {q} = 0; {q} < {r.choice(['5', '(n & 3) + 1', '(u & 3)'])}; ++{q})"
        self.emit(
            f"int {t}[5] = {{{self.common()}}}, {w} = {r.choice(['0', self.common(), 'lane'])};",
            f"{loop} {{ {t}[{q}] = {value}; {then} }}",
            f"{self.one(scope)} += {t}[{r.choice(['lane & 3', 'u & 3', '2'])}] + {w};",
        )
        return replace(scope, readable=(*scope.readable, w, f"{t}[1]"))

    def shuffle(self, scope: Scope) -> None:
        r, (d, here, t, s) = self.r, (self.new(p) for p in ("d", "h", "t", "s"))
        kind, width, type_ = r.choice(list(SHUFFLES)), r.choice([32, 32, 16, 8, 4, 2]), r.choice(["int", "double"])
        value = self.one(scope) + (" * 0.5" if type_ == "double" else "")
        argument = r.choice([str(r.randint(0, 31)), "(u & 7)", f"({self.one(scope)} & 31)"])
        self.emit(
            f"int {d} = {argument}, {s} = lane_{kind}(lane, {d}, {width});",
            f"unsigned {here} = __ballot_sync({scope.mask}, 1);",
            f"{type_} {t} = {SHUFFLES[kind]}({scope.mask}, {value}, {d}, {width});",
            f"if ({here} >> {s} & 1) {self.one(scope)} += (int){t};",
        )

    def vote(self, scope: Scope) -> None:
        v, m, said = self.one(scope), scope.mask, self.condition(scope)
        self.emit(
            self.r.choice(
                [
                    f"if (__any_sync({m}, {said})) {v} += 3;",
                    f"{v} += __all_sync({m}, {said}) * 5;",
                    f"{v} ^= (int)__ballot_sync({m}, {said});",
                    f"{v} += __reduce_add_sync({m}, {self.one(scope)});",
                    f"{v} ^= __reduce_max_sync({m}, {self.one(scope)});",
                    f"{v} ^= __reduce_min_sync({m}, {self.one(scope)});",
                ]
            )
        )

    def wait_for_warp(self, scope: Scope) -> None:
        self.emit(f"__syncwarp({scope.mask});")

    def barrier(self, scope: Scope) -> None:
        r, v, said = self.r, self.one(scope), self.condition(scope)
        other = f"s[(tid * 5 + {r.randint(0, 99)}) % nt]"
        exchange = f"s[tid] = {v}; __syncthreads(); {self.one(scope)} += {other}; __syncthreads();"
        votes = [f"u = (u + __syncthreads_count({said})) & 1023;", f"v = __syncthreads_or({said}) + v % 5;"]
        self.emit(r.choice([exchange, exchange, exchange, *votes, f"{v} += __syncthreads_and({said});"]))

    def change_common(self, scope: Scope) -> None:
        self.emit(f"{self.r.choice('uv')} = ({self.common()}) & 63;")

    # --- control flow ---

    def common_branch(self, scope: Scope) -> None:
        self.emit(f"if ({self.common_condition()}) {{")
        self.inside(scope)
        self.emit("} else {")
        self.inside(scope)
        self.emit("}")

    def branch(self, scope: Scope) -> None:
        c, m = self.new("c"), self.new("m")
        self.emit(f"int {c} = {self.condition(scope)};", f"unsigned {m} = __ballot_sync({scope.mask}, {c});")
        self.emit(f"if ({c}) {{")
        self.inside(scope, together=False, mask=m)
        if self.r.random() < 0.5:
            self.emit("} else {")
            self.inside(scope, together=False, mask=f"({scope.mask} & ~{m})")
        self.emit("}")

    def common_loop(self, scope: Scope) -> None:
        r, k, c, m = self.r, self.new("k"), self.new("c"), self.new("m")
        most = r.choice([str(r.randint(1, 3)), "(n & 3)"])
        self.emit(f"for (int {r.choice([f'{k} = 0; {k} < {most}; ++{k}', f'{k} = 8; {k} > 2; {k} >>= 1'])}) {{")
        inner = replace(scope, readable=(*scope.readable, k))
        self.inside(inner)
        if r.random() < 0.3:
            self.emit(f"    if ({k} > 1 && {self.common_condition()}) {r.choice(['break', 'continue'])};")
        if r.random() < 0.4:
            self.emit(f"    int {c} = {self.condition(inner)};")
            self.emit(f"    unsigned {m} = __ballot_sync({scope.mask}, !{c});", f"    if ({c}) continue;")
            self.inside(inner, together=False, mask=m)
        self.emit("}")

    def loop_with_break(self, scope: Scope) -> None:
        k, c, m = self.new("k"), self.new("c"), self.new("m")
        inner = replace(scope, together=False, mask=m, readable=(*scope.readable, k))
        self.emit(f"unsigned {m} = {scope.mask};", f"for (int {k} = 0; {k} < {self.r.randint(2, 4)}; ++{k}) {{")
        self.inside(inner)
        self.emit(f"    int {c} = {self.condition(inner)};", f"    {m} = __ballot_sync({m}, !{c});")
        self.emit(f"    if ({c}) {{ {self.one(scope)} += 7; break; }}")
        self.inside(inner)
        self.emit("}")

    def own_loop(self, scope: Scope) -> None:
        """Each thread makes its own number of iterations."""
        k, most, m = self.new("k"), self.new("b"), self.new("m")
        form = self.r.choice(["while", "for", "do"])
        self.emit(f"int {k} = 0, {most} = {self.value(scope)} & 3;")
        self.emit(f"unsigned {m} = __ballot_sync({scope.mask}, {k} < {most});")
        unless = f"if ({k} < {most}) " if form == "do" else ""
        heads = {"while": f"while ({k} < {most})", "for": f"for (; {k} < {most}; ++{k})", "do": "do"}
        self.emit(unless + heads[form] + " {")
        self.inside(scope, together=False, mask=m)
        step = f"{k} + 1" if form == "for" else f"++{k}"
        self.emit(f"    {m} = __ballot_sync({m}, {step} < {most});")
        self.emit(f"}} while ({k} < {most});" if form == "do" else "}")

    def early_return(self, scope: Scope) -> Scope:
        c, m = self.new("c"), self.new("m")
        self.emit(
            f"int {c} = {self.condition(scope)} && lane % 4 == 1;",
            f"unsigned {m} = __ballot_sync({scope.mask}, !{c});",
            f"if ({c}) {{ out[gid * 4] = {self.one(scope)}; return; }}",
        )
        return scope if scope.together else replace(scope, mask=m)

    def switch(self, scope: Scope) -> None:
        c, masks = self.new("c"), [self.new("m") for _ in range(4)]
        self.emit(f"int {c} = {self.value(scope)} & 3;")
        self.emit(*(f"unsigned {m} = __ballot_sync({scope.mask}, {c} == {i});" for i, m in enumerate(masks)))
        self.emit(f"switch ({c}) {{")
        cases = [*(f"case {i}:" for i in range(3)), "default:"]
        self.r.shuffle(cases)
        falling = ""
        for case in cases:
            own = masks[3] if case == "default:" else masks[int(case[5])]
            mask = f"({falling} | {own})" if falling else own
            self.emit(case + " {")
            self.inside(scope, together=False, mask=mask)
            falling = mask if self.r.random() < 0.3 else ""
            self.emit("}" if falling else "} break;")
        self.emit("}")

    def until_all_agree(self, scope: Scope) -> None:
        if not scope.together:
            return
        k = self.new("k")
        self.emit(f"int {k} = 0;", f"while (__syncthreads_or({k} < (lane & 3))) {{", f"    ++{k};")
        self.inside(scope)
        self.emit("}")
