"""The operations of a derivative that is differentiated again, for what it saves and restores itself.

Its own saves and restores are `keep` and `recall`: the record is memory, to which values go and from which they come
back, last to first.  So their derivatives are their like: where something was recalled its adjoint is put aside, and
where it was kept that is added to the adjoint.  The tape of the new derivative is another one.

Each has a form for a whole allocation, for so many bytes of memory on either side, and for a value of the host.
"""

from __future__ import annotations

from hetad.rules.callee import Recorded
from hetad.rules.operation import Act

_RECORDED = Recorded()

keep = Act("void keep(const void *p)", "asks extents", reads=(0,), pullback=_RECORDED)
recall = Act("void recall(void *p)", "asks extents", writes=(0,), pullback=_RECORDED)
put_aside = Act("void put_aside(void *p)", "asks extents", reads=(0,), writes=(0,), pullback=_RECORDED)
recall_sum = Act("void recall_sum_real(real *p)", "asks extents", reads=(0,), writes=(0,), pullback=_RECORDED)
keep_range = Act("void keep_range(const void *p, size_t bytes)", "asks extents", reads=(0,), pullback=_RECORDED)
recall_range = Act("void recall_range(void *p, size_t bytes)", "asks extents", writes=(0,), pullback=_RECORDED)
put_aside_range = Act(
    "void put_aside_range(void *p, size_t bytes)", "asks extents", reads=(0,), writes=(0,), pullback=_RECORDED
)
recall_sum_range = Act(
    "void recall_sum_range_real(real *p, size_t bytes)", "asks extents", reads=(0,), writes=(0,), pullback=_RECORDED
)
keep_value = Act("void keep_value(const void *value, size_t bytes)", reads=(0,), pullback=_RECORDED)
recall_value = Act("void recall_value(void *value, size_t bytes)", writes=(0,), pullback=_RECORDED)
put_aside_value = Act("void put_aside_value(void *value, size_t bytes)", reads=(0,), writes=(0,), pullback=_RECORDED)
recall_sum_value = Act(
    "void recall_sum_value_real(real *value, size_t bytes)", reads=(0,), writes=(0,), pullback=_RECORDED
)

# By extent: what puts a record, what takes it back; and what that is for adjoints.
KEPT = {keep: recall_sum, keep_range: recall_sum_range, keep_value: recall_sum_value}
RECALLED = {recall: put_aside, recall_range: put_aside_range, recall_value: put_aside_value}
OF_VALUES = (keep_value, recall_value)
