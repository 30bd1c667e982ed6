"""Products with reciprocals in place of quotients, and where there must be none."""

from __future__ import annotations

import re

import hetad


def pullback(body: str, parameters: str = "double *x, double *y, double d, int n") -> str:
    """The pullback of a kernel of this body with respect to x and d."""
    names = ", ".join(re.findall(r"(\w+)(?:,|$)", parameters))
    text = f"""
__global__ void kernel({parameters})
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {{ {body} }}
}}
void run({parameters}) {{ kernel<<<(n + 31) / 32, 32>>>({names}); }}
"""
    program = hetad.loads(text)
    source = hetad.gradient(program["run"], wrt=["x", "d"], of="y", backend="cpu").source
    text = source[source.index("kernel_pullback") : source.index("void run_grad")]
    return re.sub(r" *// line .*\n", "", text)


def test_one_division_for_all() -> None:
    text = pullback("double a = x[i], size = 1.0 + a * a; y[i] = a / size + sin(a) / size + cos(a) / size;")
    assert "const double inverse_size = 1.0 / size;" in text
    assert text.count(" / ") == 1


def test_a_parameter_is_inverted_in_front() -> None:
    text = pullback("y[i] = x[i] * x[i] / d;")
    assert "const double inverse_d = 1.0 / d;" in text
    assert set(re.findall(r"\S+ / d\b", text)) == {"1.0 / d"}


def test_numbers_that_are_added_from_an_array() -> None:
    """Neighbouring cells get what is in an array of the thread, whose last bits decide nothing either."""
    text = pullback("const double *p = x + 3 * (i * 7 % n); double q = p[0] * p[1] * p[2]; y[i] = q / d + sin(q) / d;")
    assert "inverse_d" in text
    assert "hetad_add_run_double(&adj_p[0], adj_p_run, 3)" in text


def test_loads_do_not_wait_for_a_division() -> None:
    parameters = "double *x, double *u, double *v, double *y, double d, int n"
    text = pullback("double a = x[i], b = u[i], c = v[i]; y[i] = b / a + c / a + b * c * d;", parameters)
    assert text.index("= v[i];") < text.index("inverse_a = 1.0 / a;")


def test_literals() -> None:
    assert "* (1.0 / 3.0)" in pullback("y[i] = x[i] / 3.0 + d;")
    assert "/ 1e-310" in pullback("y[i] = x[i] / 1e-310 + d;")  # has no reciprocal
    assert "/ 4.0" in pullback("y[i] = x[i] / 4.0 + d;")  # is exact, and costs nothing


def test_what_a_branch_depends_on_stays_as_it_is() -> None:
    text = pullback("double q = x[i] / d; if (q > 0.5) y[i] = q * q / d; else y[i] = sin(q) / d;")
    assert "q = x[i] / d;" in text
    assert "inverse_d" in text


def test_what_an_index_or_a_step_depends_on_stays_as_it_is() -> None:
    text = pullback("double q = x[i] / d; y[i] = (q - floor(q)) * x[(int)(q / d) % n] / d;")
    assert "q = x[i] / d;" in text
    assert "(int)(q / d)" in text


def test_what_ends_a_domain_or_jumps_depends_on_stays_as_it_is() -> None:
    text = pullback("double q = x[i] / d, r = 3.0 / d; y[i] = pow(x[i], r) * sqrt(q - 1.0) * copysign(x[i], q) / d;")
    assert "q = x_i / d;" in text  # which is loaded once
    assert "r = 3.0 / d;" in text


def test_one_quotient_remains_one() -> None:
    text = pullback("y[i] = x[i] * d; y[i] = y[i] / (2.0 + x[i]);")
    assert "inverse" not in text


def test_floats_are_divided() -> None:
    text = pullback("y[i] = x[i] / d + sinf(x[i]) / d;", "float *x, float *y, float d, int n")
    assert "inverse" not in text
