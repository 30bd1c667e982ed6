// What hetad_next answers.
enum hetad_what_next { HETAD_FINISHED, HETAD_CHECKPOINT, HETAD_RESUME, HETAD_RUN, HETAD_START, HETAD_BACK };
