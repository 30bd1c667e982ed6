// Lines of the program and of the derivative that belong together light up together; a click brings the others into view.
const lines = [...document.querySelectorAll(".line[data-of]")];
const together = key => lines.filter(line => line.dataset.of === key);

function light(key) {
    for (const line of lines) line.classList.toggle("lit", line.dataset.of === key);
}

function reveal(key, from) {
    const others = together(key).filter(line => line.closest(".pane") !== from);
    for (const pane of new Set(others.map(line => line.closest(".pane")))) {
        const first = others.find(line => line.closest(".pane") === pane);
        pane.scrollTo({ top: first.offsetTop - pane.clientHeight / 3, behavior: "smooth" });
    }
}

let held = null;
for (const line of lines) {
    line.addEventListener("mouseenter", () => { if (held === null) light(line.dataset.of); });
    line.addEventListener("mouseleave", () => { if (held === null) light(null); });
    line.addEventListener("click", event => {
        if (event.target.closest("a")) return;
        held = held === line.dataset.of ? null : line.dataset.of;
        light(held);
        if (held !== null) reveal(held, line.closest(".pane"));
    });
}

function followed() {
    const line = document.getElementById(location.hash.slice(1));
    if (line === null || !line.dataset.of) return;
    held = line.dataset.of;
    light(held);
    reveal(held, line.closest(".pane"));
}
window.addEventListener("hashchange", followed);
followed();
