// Where on the tape the record of the last snapshot is, plus one; each record tells of the one before.
static size_t hetad_last_snapshot;
