"""Problem files: a TOML file beside a program that says what to differentiate, and at which inputs.

    source = "axpy.cu"            # relative to the problem file; or a list of files that are one program
    function = "axpy"
    wrt = ["a", "x"]
    of = ["y"]                    # absent: the return value

    [inputs]                      # one entry per parameter
    n = 100
    a = 1.5
    x = { shape = [100], random = 1 }
    y = { zeros = [100] }

A whole program is named by `function = "main"` and `objective`, the variable or the function whose last value counts;
`argv` is its command line, and the inputs are variables of it (see `Program.driver`).

Other keys: `mode`, which derivative it is about (one of `MODES`; absent: the gradient), `memory_limit` and
`host_memory`, `checkpoint_dir` (see `hetad.gradient`), `defines` (a table of macros), `undefines`, `include_dirs`,
`cuda_arch` (see `hetad.load`),
`[launch]` with `grid`, `block` and `shared_mem` when the function is a kernel, `[gradcheck]` with `rtol`, `atol` and
`samples`, `cpu_threads`, how many run the blocks of a grid on the CPU, and `checked`, whether all accesses are
checked for leaving their memory, or none (absent: see `hetad.gradient`).

The forms of an input:

    3.5                                                a number, for a scalar parameter
    { shape = [4, 5], random = 1 }                     standard normal values from numpy's default_rng(1)
    { shape = [4, 5], random = 1, low = 0, high = 9 }  whole numbers low <= i < high, for an array of integers
    { shape = [4], random_uniform = 1, low = 0.5, high = 2.0 }    uniform values
    { values = [1.0, 2.0] }                            literal values
    { zeros = [4, 5] }                                 zeros of this shape
    { file = "x.npy" }                                 an array saved by numpy.save
    { re = 1.0, im = 2.0 }                             the fields of a struct passed by value

Arrays get the element type of their parameter.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from hetad.diagnostics import ArgumentError
from hetad.frontend.settings import FRONTENDS, Frontend
from hetad.ir.types import Float, Int, Opaque, Pointer, Struct, Type, scalar_base

if TYPE_CHECKING:
    import numpy as np

    from hetad.ir.nodes import Symbol

Mode = Literal["gradient", "tangent", "hvp", "jacobian", "hessian"]
MODES: tuple[Mode, ...] = get_args(Mode)

_KEYS = (
    "source", "function", "wrt", "of", "mode", "memory_limit", "host_memory", "checkpoint_dir", "defines",
    "include_dirs", "launch", "inputs", "gradcheck", "cpu_threads", "checked", "objective", "argv", "undefines",
    "cuda_arch", "frontend",
)  # fmt: skip
_LAUNCH_KEYS = ("grid", "block", "shared_mem")
_GRADCHECK_KEYS = ("rtol", "atol", "samples")
# What may stand in the table of an array input, under the key that names the form.
_FORMS: dict[str, tuple[str, ...]] = {
    "random": ("shape", "low", "high"),
    "random_uniform": ("shape", "low", "high"),
    "values": ("shape",),
    "zeros": (),
    "file": (),
}


@dataclass(frozen=True)
class Problem:
    """A problem file that has been read and checked; the inputs are made by `arguments`."""

    path: Path
    source: Path | tuple[Path, ...]
    function: str
    wrt: tuple[str, ...]
    of: tuple[str, ...] | None
    inputs: Mapping[str, Any]
    launch: Mapping[str, Any] = field(default_factory=dict)
    defines: Mapping[str, str] = field(default_factory=dict)
    include_dirs: tuple[Path, ...] = ()
    undefines: tuple[str, ...] = ()
    cuda_arch: int | None = None
    gradcheck: Mapping[str, float] = field(default_factory=dict)
    cpu_threads: int | None = None
    checked: bool | None = None
    memory: Mapping[str, int | str] = field(default_factory=dict)  # memory_limit, host_memory, checkpoint_dir, if given
    objective: str | None = None  # of a whole program
    argv: tuple[object, ...] = ()
    frontend: Frontend = "auto"
    mode: Mode = "gradient"

    @property
    def loading(self) -> dict[str, Any]:
        """What `hetad.load` is told beside the source."""
        found: dict[str, Any] = {"defines": self.defines, "include_dirs": self.include_dirs}
        found |= {"undefines": self.undefines} if self.undefines else {}
        found |= {"frontend": self.frontend} if self.frontend != "auto" else {}
        return found | ({"cuda_arch": self.cuda_arch} if self.cuda_arch is not None else {})

    def arguments(self, parameters: Sequence[Symbol]) -> list[Any]:
        """One argument per parameter of the function, in order: Python numbers, NumPy arrays, mappings for structs.

        A call makes fresh arrays each time.

        Raises:
            ArgumentError: an input is missing, has no parameter, or does not fit its parameter.
        """
        names = [parameter.name for parameter in parameters]
        _reject_unknown(self.inputs, names, f"{self.path}: [inputs]", f"{self.function} has the parameters")
        handles = {p.name for p in parameters if isinstance(p.type, Opaque)}  # of a library: the usual one
        missing = [name for name in names if name not in self.inputs and name not in handles]
        if missing:
            raise ArgumentError(f"{self.path}: [inputs] says nothing about {_listed(missing)} of {self.function}")
        return [self._argument(parameter) for parameter in parameters]

    def _argument(self, parameter: Symbol) -> Any:
        where = f"{self.path}: [inputs] {parameter.name}"
        if parameter.name not in self.inputs:
            return None
        spec, type_ = self.inputs[parameter.name], parameter.type
        if isinstance(type_, Pointer):
            return _array(spec, type_.to, where, self.path.parent)
        return _scalar(spec, type_, where)


def read(path: str | Path) -> Problem:
    """Reads and checks a problem file.

    Raises:
        ArgumentError: no such file, not TOML, an unknown or missing key, a value of the wrong kind; the message names
            the file and the key.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ArgumentError(f"{path}: cannot read the problem file ({error.strerror})") from None
    except UnicodeDecodeError:
        raise ArgumentError(f"{path}: not a text file in UTF-8; a problem file is TOML") from None
    return parse(text, path)


def parse(text: str, path: Path) -> Problem:
    """Checks the text of a problem file; `path` is what messages and relative paths refer to."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ArgumentError(f"{path}: not valid TOML: {error}") from None
    return from_table(table, path)


def from_table(table: Mapping[str, Any], path: Path) -> Problem:
    """Checks the keys of a problem that has been read from TOML."""
    reader = _Reader(table, path)
    _reject_unknown(table, _KEYS, str(path), "a problem file has the keys")
    launch, gradcheck = reader.table("launch"), reader.table("gradcheck")
    _reject_unknown(launch, _LAUNCH_KEYS, f"{path}: [launch]", "known keys are")
    _reject_unknown(gradcheck, _GRADCHECK_KEYS, f"{path}: [gradcheck]", "known keys are")
    return Problem(
        path=path,
        source=reader.files("source"),
        function=reader.text("function"),
        wrt=reader.names("wrt"),
        of=reader.names("of") if "of" in table else None,
        inputs=reader.table("inputs"),
        launch={key: _launch_value(key, value, path) for key, value in launch.items()},
        defines={name: str(value) for name, value in reader.table("defines").items()},
        include_dirs=tuple(path.parent / name for name in table.get("include_dirs", ())),
        undefines=reader.names("undefines") if "undefines" in table else (),
        cuda_arch=reader.count("cuda_arch"),
        gradcheck={key: reader.number(gradcheck, key) for key in gradcheck},
        cpu_threads=reader.count("cpu_threads"),
        checked=reader.flag("checked"),
        memory={key: table[key] for key in ("memory_limit", "host_memory", "checkpoint_dir") if key in table},
        objective=reader.text("objective") if "objective" in table else None,
        argv=reader.words("argv"),
        frontend=reader.one_of("frontend", FRONTENDS),
        mode=reader.one_of("mode", MODES, "gradient"),
    )


@dataclass(frozen=True)
class _Reader:
    """Takes values of a known kind out of the file's table."""

    content: Mapping[str, Any]
    path: Path

    def text(self, key: str) -> str:
        value = self._required(key)
        if not isinstance(value, str) or not value:
            raise ArgumentError(f'{self.path}: {key} must be a string, as in {key} = "…", not {value!r}')
        return value

    def one_of(self, key: str, known: tuple[Any, ...], otherwise: str = "auto") -> Any:
        value = self.content.get(key, otherwise)
        if value in known:
            return value
        near = difflib.get_close_matches(str(value), known, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ArgumentError(f"{self.path}: {key} must be one of {_listed(known)}, not {value!r}{hint}")

    def files(self, key: str) -> Path | tuple[Path, ...]:
        """One file, or a list of several."""
        value = self._required(key)
        if isinstance(value, list) and value and all(isinstance(name, str) and name for name in value):
            return tuple(self.path.parent / name for name in value)
        if not isinstance(value, str) or not value:
            raise ArgumentError(
                f'{self.path}: {key} must be a string or a list of strings, as in {key} = "…", not {value!r}'
            )
        return self.path.parent / value

    def names(self, key: str) -> tuple[str, ...]:
        value = self._required(key)
        if not isinstance(value, list) or not value or not all(isinstance(name, str) for name in value):
            raise ArgumentError(
                f'{self.path}: {key} must be a list of parameter names, as in {key} = ["x"], not {value!r}'
            )
        return tuple(value)

    def words(self, key: str) -> tuple[object, ...]:
        value = self.content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(word, str | int | float) for word in value):
            raise ArgumentError(f'{self.path}: {key} must be a list of words, as in {key} = ["0.1"], not {value!r}')
        return tuple(value)

    def table(self, key: str) -> Mapping[str, Any]:
        value = self.content.get(key, {})
        if not isinstance(value, dict):
            raise ArgumentError(f"{self.path}: {key} must be a table, not {value!r}")
        return value

    def number(self, table: Mapping[str, Any], key: str) -> float:
        value = table[key]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ArgumentError(f"{self.path}: {key} must be a number, not {value!r}")
        return value

    def count(self, key: str) -> int | None:
        value = self.content.get(key)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise ArgumentError(f"{self.path}: {key} must be a whole number, 0 or more, not {value!r}")
        return value

    def flag(self, key: str) -> bool | None:
        value = self.content.get(key)
        if value is not None and not isinstance(value, bool):
            raise ArgumentError(f"{self.path}: {key} must be true or false, not {value!r}")
        return value

    def _required(self, key: str) -> Any:
        if key not in self.content:
            raise ArgumentError(f"{self.path}: the key {key!r} is missing")
        return self.content[key]


def _reject_unknown(table: Iterable[str], known: Sequence[str], where: str, introduction: str) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"{introduction} {_listed(known)}"
            raise ArgumentError(f"{where}: unknown key {key!r}; {hint}")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if names else "(none)"


def _launch_value(key: str, value: Any, path: Path) -> int | tuple[int, ...]:
    where = f"{path}: [launch] {key}"
    if _is_whole(value):
        return int(value)
    if key != "shared_mem" and isinstance(value, list) and 1 <= len(value) <= 3 and all(map(_is_whole, value)):
        return tuple(value)
    expected = "a number of bytes" if key == "shared_mem" else "a whole number or a list of up to three"
    raise ArgumentError(f"{where} must be {expected}, not {value!r}")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# --- inputs ---------------------------------------------------------------------------------------


def _scalar(spec: Any, type_: Type, where: str) -> Any:
    if isinstance(type_, Struct):
        return _struct(spec, type_, where)
    if isinstance(spec, bool | int) and isinstance(type_, Int):
        return spec
    if isinstance(spec, int | float) and not isinstance(spec, bool) and isinstance(type_, Float):
        return float(spec)
    wanted = "a whole number" if isinstance(type_, Int) else "a number"
    raise ArgumentError(f"{where}: the parameter is {type_}, passed by value, and takes {wanted}, not {_shown(spec)}")


def _struct(spec: Any, type_: Struct, where: str) -> dict[str, Any]:
    if not isinstance(spec, dict):
        raise ArgumentError(f"{where}: the parameter is struct {type_.name} and takes a table of its fields")
    fields = {f.name: f.type for f in type_.fields}
    _reject_unknown(spec, tuple(fields), where, f"struct {type_.name} has the fields")
    missing = [name for name in fields if name not in spec]
    if missing:
        raise ArgumentError(f"{where}: the field {_listed(missing)} of struct {type_.name} is missing")
    return {name: _scalar(spec[name], fields[name], f"{where}.{name}") for name in fields}


def _array(spec: Any, element: Type, where: str, folder: Path) -> np.ndarray[Any, Any]:
    from hetad.run.layout import dtype_of

    form = next((key for key in _FORMS if isinstance(spec, dict) and key in spec), None)
    if form is None:
        raise ArgumentError(
            f"{where}: the parameter is a pointer and takes one of {{ shape = […], random = SEED }}, "
            f'{{ values = […] }}, {{ zeros = […] }} or {{ file = "….npy" }}, not {_shown(spec)}'
        )
    _reject_unknown(spec, (form, *_FORMS[form]), where, f"beside {form!r} there may be")
    if not isinstance(scalar_base(element), Int | Float | Struct) or isinstance(element, Pointer):
        raise ArgumentError(f"{where}: a problem file has no form for an array of {element}")
    dtype = dtype_of(element).base  # rows (`double (*a)[16]`) have their own dimension in the shape
    try:
        return _MAKERS[form](spec, dtype, folder)
    except (ValueError, TypeError, OSError, OverflowError, KeyError) as error:
        what = f"the key {error} is missing" if isinstance(error, KeyError) else error
        raise ArgumentError(f"{where}: {what}") from None


def _shown(spec: Any) -> str:
    text = repr(spec)
    return text if len(text) <= 60 else text[:57] + "..."


def _random(spec: Mapping[str, Any], dtype: np.dtype[Any], _folder: Path) -> np.ndarray[Any, Any]:
    import numpy as np

    rng, shape = np.random.default_rng(spec["random"]), tuple(spec["shape"])
    if dtype.names is not None:
        return _random_records(rng, shape, dtype)
    if dtype.kind in "iub":
        if "low" not in spec or "high" not in spec:
            raise ValueError("random whole numbers need 'low' and 'high'")
        return rng.integers(spec["low"], spec["high"], shape).astype(dtype)
    if "low" in spec or "high" in spec:
        raise ValueError("'random' makes standard normal values; use 'random_uniform' with 'low' and 'high'")
    return np.asarray(rng.standard_normal(shape)).astype(dtype)


def _random_records(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Floating fields get standard normal values, all others stay 0."""
    import numpy as np

    records = np.zeros(shape, dtype)
    for name in dtype.names or ():
        kind = records[name].dtype
        if kind.kind == "f":
            records[name] = rng.standard_normal(records[name].shape)
        elif kind.names is not None:
            records[name] = _random_records(rng, records[name].shape, kind)
    return records


def _random_uniform(spec: Mapping[str, Any], dtype: np.dtype[Any], _folder: Path) -> np.ndarray[Any, Any]:
    import numpy as np

    if dtype.kind != "f":
        raise ValueError("'random_uniform' makes floating values; use 'random' with 'low' and 'high' for integers")
    rng = np.random.default_rng(spec["random_uniform"])
    return np.asarray(rng.uniform(spec.get("low", 0.0), spec.get("high", 1.0), tuple(spec["shape"]))).astype(dtype)


def _values(spec: Mapping[str, Any], dtype: np.dtype[Any], _folder: Path) -> np.ndarray[Any, Any]:
    import numpy as np

    values = spec["values"]
    if dtype.names is not None:
        values = [_record(record, dtype) for record in values]
    array = np.array(values, dtype)
    return array.reshape(spec["shape"]) if "shape" in spec else array


def _record(table: Mapping[str, Any], dtype: np.dtype[Any]) -> tuple[Any, ...]:
    """A struct's table as the nested tuples that NumPy takes."""
    fields = [(name, dtype[name], table[name]) for name in dtype.names or ()]
    return tuple(_record(value, kind) if kind.names is not None else value for _, kind, value in fields)


def _zeros(spec: Mapping[str, Any], dtype: np.dtype[Any], _folder: Path) -> np.ndarray[Any, Any]:
    import numpy as np

    return np.zeros(tuple(spec["zeros"]) if isinstance(spec["zeros"], list) else spec["zeros"], dtype)


def _file(spec: Mapping[str, Any], dtype: np.dtype[Any], folder: Path) -> np.ndarray[Any, Any]:
    import numpy as np

    path = folder / spec["file"]
    try:
        array = np.load(path, allow_pickle=False)
    except OSError as error:
        raise ValueError(f"cannot read {path} ({error.strerror or error})") from None
    if array.dtype != dtype:
        raise ValueError(f"{path} holds {array.dtype}, the parameter takes {dtype}")
    return np.ascontiguousarray(array)


_MAKERS = {
    "random": _random,
    "random_uniform": _random_uniform,
    "values": _values,
    "zeros": _zeros,
    "file": _file,
}
