// A schedule: what is done with the steps of a time loop, in this order; a turn is where the forward sweep goes on.
enum { HETAD_ADVANCE, HETAD_RECORD, HETAD_SAVE, HETAD_LOAD, HETAD_LOAD_LAST, HETAD_REVERSE, HETAD_TURN };

struct hetad_action {
    int64_t kind;    // one of the above: advance and record steps from `from` up to `to`, reverse them from `to` down
    int64_t from, to;
    int64_t level;   // of a checkpoint, the last one made: 0 in device memory, 1 in host memory
};
