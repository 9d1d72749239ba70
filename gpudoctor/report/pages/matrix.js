// The table of answers was worked out by the program: this looks them up, and puts in what was chosen.
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const at = (id) => document.getElementById(id);
const FIT = read("fit-table");
const KINDS = { w: "why", b: "but", n: "not", s: "source" };

const numbers = (text) => [0, 1, 2, 3].map((place) => Number(text.split(".")[place] || 0));
const isOlder = (one, other) => {
  const [left, right] = [numbers(one), numbers(other)];
  const place = left.findIndex((number, index) => number !== right[index]);
  return place >= 0 && left[place] < right[place];
};
const words = (text) => text.toLowerCase().match(/[a-z]+|\d+(?:\.\d+)?/g) || [];

// The name as it is listed; else the names that have all of its words: of GPUs of one kind the plainest name.
function gpusCalled(typed) {
  if (Object.hasOwn(FIT.gpus, typed)) return [typed];
  const exact = Object.keys(FIT.gpus).find((name) => name.toLowerCase() === typed.toLowerCase());
  if (exact) return [exact];
  const wanted = words(typed);
  const found = Object.keys(FIT.gpus).filter((name) => wanted.every((word) => words(name).includes(word)))
    .sort((one, other) => words(one).length - words(other).length);
  const isPlain = found.length > 1 && words(found[0]).length < words(found[1]).length;
  return isPlain && new Set(found.map((name) => FIT.gpus[name])).size === 1 ? [found[0]] : found;
}

// {lines} as the program prints them, in paragraphs: [[kind, text] ...]; or {unclear}, and names to choose from.
function answerTo(choice) {
  const system = FIT.systems.find((one) => one.platform === choice.system);
  const mac = choice.system.startsWith("macos");
  const typed = mac ? "" : choice.gpu.trim();
  const driver = mac || !typed ? "" : choice.driver.trim();
  let name = "", key = "cpu";
  if (typed) {
    const found = gpusCalled(typed);
    if (found.length !== 1) {
      const unclear = found.length ? `${found.length} GPUs are called so:` : "No GPU of that name is known.";
      return { unclear, names: found.slice(0, 12) };
    }
    [name, key] = [found[0], FIT.gpus[found[0]]];
  }
  if (!system.rows[key]) {
    return { unclear: `${name} is not offered with ${choice.system}: no board is known that has both.`, names: [] };
  }
  if (driver && !/^\d+(\.\d+){0,3}$/.test(driver)) {
    return { unclear: `"${driver}" is no driver release; write 570 or 570.86.`, names: [] };
  }
  const branch = Number(driver.split(".")[0]);
  if (driver && !system.branches.some(([first, last]) => first <= branch && branch <= last)) {
    return { unclear: `Driver ${driver} is of no branch that this page has.`, names: [] };
  }
  const place = driver ? system.drivers.filter((one) => !isOlder(driver, one)).length : 0;
  const row = system.rows[key][Object.keys(FIT.wishes).indexOf(choice.wish)][FIT.pythons.indexOf(choice.python)];
  let left = place, number;
  for (const part of FIT.rows[row].split(" ")) {
    const [answer, times] = part.split("*").map(Number);
    if (left < times) { number = answer; break; }
    left -= times;
  }
  const isName = !/^\d+\.\d+$/.test(name);
  const put = (text) => text.replaceAll("{gpu}", isName ? name : "GPU").replaceAll("{driver}", driver)
    .replaceAll("{branch}", branch).replaceAll("{python}", choice.python);
  const blocks = FIT.answers[number].split(";").map((block) => block.split(" ")
    .map((line) => [line[0], put(FIT.texts[Number(line.slice(1))])]));
  const known = key === "cpu" ? "cpu" : !driver ? "none" : driver.includes(".") ? "release" : "branch";
  if (system.unjudged[known]) blocks.push([["t", put(system.unjudged[known])]]);
  return { blocks };
}

const made = (tag, text = "", kind = "") => {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  if (kind) element.className = kind;
  return element;
};

function commandRow(text) {
  const row = made("div", "", "command"), box = made("pre"), button = made("button", "Copy");
  box.tabIndex = 0;
  box.append(made("code", text));
  button.type = "button";
  button.setAttribute("aria-label", `Copy: ${text}`);
  row.append(box, button);
  return row;
}

function block(lines) {
  const found = [];
  for (const [kind, text] of lines) {
    if (kind === "c") found.push(commandRow(text));
    else if (kind in KINDS) {
      if (found.at(-1)?.tagName !== "UL") found.push(made("ul"));
      found.at(-1).append(made("li", text, KINDS[kind]));
    } else found.push(made("p", text));
  }
  return found;
}

const CHOICES = ["system", "gpu", "driver", "python", "wish"];

function showAnswer() {
  const choice = Object.fromEntries(CHOICES.map((name) => [name, at(name).value]));
  const mac = choice.system.startsWith("macos");
  at("gpu").disabled = mac;
  at("driver").disabled = mac || !choice.gpu.trim();
  const answer = answerTo(choice), box = at("answer");
  const fits = answer.blocks?.some((lines) => lines.some(([kind]) => kind === "c"));
  box.className = fits ? "" : "none";
  if (answer.blocks) box.replaceChildren(...answer.blocks.flatMap(block));
  else box.replaceChildren(made("p", answer.unclear), ...answer.names.map((name) => {
    const button = made("button", name);
    button.type = "button";
    button.addEventListener("click", () => { at("gpu").value = name; showAnswer(); at("gpu").focus(); });
    return button;
  }));
  history.replaceState(null, "", `#${new URLSearchParams(choice)}`);
}

function showBranches() {
  const system = FIT.systems.find((one) => one.platform === at("system").value);
  at("driver-list").replaceChildren(...system.branches.map(([first]) => {
    const option = made("option");
    option.value = first;
    return option;
  }));
}

const PAGE = 100;
let tables, shown = PAGE;

function matches(table, wanted) {
  return table.rows.filter((row, index) => wanted.every((word) => table.texts[index].includes(word)));
}

function showTables() {
  const wanted = at("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = tables.map((table) => matches(table, wanted));
  const select = at("table");
  if (wanted.length && !found[select.selectedIndex].length) {
    const most = Math.max(...found.map((rows) => rows.length));
    select.selectedIndex = found.findIndex((rows) => rows.length === most);
  }
  tables.forEach((table, index) => {
    const count = wanted.length ? `${found[index].length} of ${table.rows.length}` : table.rows.length;
    select.options[index].textContent = `${table.name} (${count})`;
  });
  const table = tables[select.selectedIndex], rows = found[select.selectedIndex];
  const all = found.reduce((sum, one) => sum + one.length, 0);
  at("found").textContent = `${table.about ? `${table.about}: ` : ""}${rows.length} ${rows.length === 1 ? "row" : "rows"}`
    + (wanted.length ? `, ${all} in all tables` : "");
  const head = made("thead"), body = made("tbody"), titles = made("tr");
  for (const title of [...table.columns, "source", "checked", "how sure"]) {
    const cell = made("th", title);
    cell.scope = "col";
    titles.append(cell);
  }
  head.append(titles);
  for (const row of rows.slice(0, shown)) {
    const line = made("tr"), source = row.length - 3;
    row.forEach((cell, place) => {
      const shownCell = made(place ? "td" : "th", place === source ? table.sources[cell] : String(cell));
      if (!place) shownCell.scope = "row";
      line.append(shownCell);
    });
    body.append(line);
  }
  at("rows").replaceChildren(head, body);
  at("more").hidden = rows.length <= shown;
}

// The tables are read after the first answer stands there.
function readTables() {
  tables = read("tables");
  for (const table of tables) {
    table.texts = table.rows.map((row) => [...row, table.sources[row.at(-3)]].join(" ").toLowerCase());
    at("table").append(made("option", table.name));
  }
  at("table").selectedIndex = tables.findIndex((table) => table.name === "torch");
  showTables();
}

for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
  if (CHOICES.includes(name)) at(name).value = value;
}
for (const form of document.forms) form.addEventListener("submit", (event) => event.preventDefault());
for (const name of CHOICES) at(name).addEventListener("input", showAnswer);
at("system").addEventListener("input", showBranches);
for (const name of ["table", "search"]) at(name).addEventListener("input", () => { shown = PAGE; showTables(); });
at("more").addEventListener("click", () => { shown += 5 * PAGE; showTables(); });
showBranches();
showAnswer();
setTimeout(readTables);
