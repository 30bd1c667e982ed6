// What the race detector remembers: cells in pages, which a hash table finds.  The cells of a page are as large as its
// smallest access.
enum { HETAD_READ, HETAD_WRITE, HETAD_ATOMIC };
enum { HETAD_RACE = 4, HETAD_RACE_LIMIT = 5 };  // codes of hetad_call
enum { HETAD_RACE_PAGE = 1024, HETAD_RACE_LANES = 3 };

// Accesses of one kind to one cell, of which those are kept that a later one may not be ordered after.
struct hetad_accesses {
    uint64_t when;
    uint32_t launch, block, phase;
    uint16_t warp, thread;  // a thread of another warp in the same phase, if `site` says so
    int32_t site;
    struct {
        uint32_t mask, clock;
        int32_t site;
    } lanes[HETAD_RACE_LANES];
    uint64_t older_when;  // in another block of this launch, if `older_site` says so
    uint32_t older_block;
    int32_t older_site;
    uint16_t older_thread;
    uint32_t *members;  // of several warps that store the same value: a mask of lanes for each warp
};

struct hetad_race_page {
    uintptr_t number;
    size_t grain;  // bytes of a cell
    struct hetad_accesses *kinds[3];
};

static struct {
    struct hetad_race_page **pages, *last_page;
    size_t page_room, page_count;
    size_t work, limit;  // of this call; 0 for no limit
} hetad_race_cells;

static void *hetad_race_memory(size_t bytes)
{
    void *p = calloc(1, bytes);
    if (p == NULL) {
        hetad_fail("out of host memory for the race detector");
    }
    return p;
}

static void hetad_race_work(size_t amount)
{
    hetad_race_cells.work += amount;
    if (hetad_race_cells.limit != 0 && hetad_race_cells.work > hetad_race_cells.limit) {
        hetad_stop(HETAD_RACE_LIMIT);
    }
}

static void hetad_race_forget(void)
{
    for (size_t i = 0; i < hetad_race_cells.page_room; ++i) {
        struct hetad_race_page *page = hetad_race_cells.pages[i];
        for (int k = 0; page != NULL && k < 3; ++k) {
            for (size_t c = 0; page->kinds[k] != NULL && c < HETAD_RACE_PAGE / page->grain; ++c) {
                free(page->kinds[k][c].members);
            }
            free(page->kinds[k]);
        }
        free(page);
    }
    free(hetad_race_cells.pages);
    hetad_race_cells.pages = NULL;
    hetad_race_cells.last_page = NULL;
    hetad_race_cells.page_room = hetad_race_cells.page_count = 0;
}

static size_t hetad_race_slot(uintptr_t number)
{
    size_t i = (size_t)(number * 0x9e3779b97f4a7c15ull >> 20) & (hetad_race_cells.page_room - 1);
    while (hetad_race_cells.pages[i] != NULL && hetad_race_cells.pages[i]->number != number) {
        i = (i + 1) & (hetad_race_cells.page_room - 1);
    }
    return i;
}

static void hetad_race_grow(void)
{
    struct hetad_race_page **before = hetad_race_cells.pages;
    const size_t room = hetad_race_cells.page_room;
    hetad_race_cells.page_room = room > 0 ? 2 * room : 256;
    hetad_race_cells.pages = hetad_race_memory(hetad_race_cells.page_room * sizeof *hetad_race_cells.pages);
    for (size_t i = 0; i < room; ++i) {
        if (before[i] != NULL) {
            hetad_race_cells.pages[hetad_race_slot(before[i]->number)] = before[i];
        }
    }
    free(before);
}

// Smaller cells, each with what the larger one has seen.
static void hetad_race_split(struct hetad_race_page *page, size_t grain)
{
    const size_t parts = page->grain / grain, cells = HETAD_RACE_PAGE / grain;
    for (int k = 0; k < 3; ++k) {
        struct hetad_accesses *before = page->kinds[k];
        if (before == NULL) {
            continue;
        }
        page->kinds[k] = hetad_race_memory(cells * sizeof *before);
        for (size_t c = 0; c < cells; ++c) {
            struct hetad_accesses *cell = &page->kinds[k][c];
            *cell = before[c / parts];
            if (cell->members != NULL && c % parts > 0) {
                cell->members = hetad_race_memory(32 * sizeof *cell->members);
                memcpy(cell->members, before[c / parts].members, 32 * sizeof *cell->members);
            }
        }
        free(before);
    }
    page->grain = grain;
}

static struct hetad_race_page *hetad_race_page(uintptr_t number, size_t grain)
{
    struct hetad_race_page *page = hetad_race_cells.last_page;
    if (page == NULL || page->number != number) {
        if (2 * hetad_race_cells.page_count >= hetad_race_cells.page_room) {
            hetad_race_grow();
        }
        const size_t slot = hetad_race_slot(number);
        if (hetad_race_cells.pages[slot] == NULL) {
            page = hetad_race_memory(sizeof *page);
            page->number = number;
            page->grain = grain;
            hetad_race_cells.pages[slot] = page;
            ++hetad_race_cells.page_count;
        }
        page = hetad_race_cells.last_page = hetad_race_cells.pages[slot];
    }
    if (page->grain > grain) {
        hetad_race_split(page, grain);
    }
    return page;
}

static struct hetad_accesses *hetad_race_kind(struct hetad_race_page *page, int kind)
{
    if (page->kinds[kind] == NULL) {
        const size_t cells = HETAD_RACE_PAGE / page->grain;
        page->kinds[kind] = hetad_race_memory(cells * sizeof **page->kinds);
        hetad_race_work(cells);
    }
    return page->kinds[kind];
}
