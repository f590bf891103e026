// A whole deal through the bot service, all seats played by its bots: node play_deal.mjs [URL] [RULES]
const stop = (message) => (console.error(message), process.exit(2));
const [url = "http://127.0.0.1:8710", rules = "juegatu"] = process.argv.slice(2);

async function post(path, content) {
  const answer = await fetch(url + path, { method: "POST", body: JSON.stringify(content) });
  const json = await answer.json();
  if (!answer.ok) throw new Error(`${path}: ${json.error}`);
  return json;
}

function shuffledDeck() {
  const deck = Array.from({ length: 22 }, (_, index) => `T${index + 1}`);
  for (const suit of "HD") for (const rank of "4 3 2 1 J N Q K".split(" ")) deck.push(suit + rank);
  for (const suit of "SC") for (const rank of "7 8 9 10 J N Q K".split(" ")) deck.push(suit + rank);
  return deck.map((card) => [Math.random(), card]).sort(([a], [b]) => a - b).map(([, card]) => card);
}

const systems = await fetch(url + "/systems").then((answer) => answer.json()).catch(() => stop(`no service at ${url}; start tarock serve`));
const { players } = systems.find((system) => system.rules === rules) ?? stop(`${rules}: no such rules; ${systems.map((s) => s.rules).join(", ")}`);
const deck = shuffledDeck(), size = 48 / players;
const hands = Array.from({ length: players }, (_, seat) => deck.slice(6 + seat * size, 6 + (seat + 1) * size).join(" "));
const record = { format: "tarock-deal/1", rules, forehand: 0, hands, talon: deck.slice(0, 6).join(" "), actions: [] };

let turn = await post("/turn", record); // the table's side: whose turn, and what that seat knows
while (turn.result == null) {
  const { action } = await post("/decide", { view: turn.view }); // the seat's side: it sends nothing but its view
  record.actions.push(`${turn.seat} ${action}`);
  turn = await post("/turn", record);
}
console.log(record.actions.join("\n"));
console.log(turn.result.contract, "payoffs", turn.result.payoffs.join(" "));
