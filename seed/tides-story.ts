import { type About, type Note, note } from "./note.ts";

/** A small project, `tide-charts`, two months old: here a digest has hardly anything to save yet. */
export const TIDES_STORY: readonly Note[] = [
  told(205, "decision", ["decision"], ["src/site.ts"], {
    title: "The site is generated statically, one page per harbour",
    subtitle: "No server to look after",
    narrative:
      "Tide tables change once a year. All 212 harbours are rendered to HTML at build time and copied to a bucket. A build takes 9 seconds.",
    facts: ["212 harbours are rendered at build time", "A build takes 9 seconds"],
  }),
  told(206, "discovery", ["gotcha"], ["src/heights.ts"], {
    title: "Heights in the source tables are above chart datum, not sea level",
    subtitle: "Off by up to three metres otherwise",
    narrative:
      "The hydrographic tables give heights above chart datum, which differs from harbour to harbour. Adding them to elevations of a land map is wrong by up to three metres.",
    facts: ["Heights are above chart datum (LAT), never above sea level"],
  }),
  told(207, "decision", ["decision"], ["src/chart.ts"], {
    title: "Curves are drawn with d3 on a canvas",
    subtitle: "First version of the chart",
    narrative:
      "The tide curve of a day is drawn with d3-shape on a canvas of 720 by 200 pixels, in the browser.",
    facts: ["The tide curve is drawn with d3-shape on a canvas"],
  }),
  told(212, "discovery", ["how-it-works"], ["src/interpolate.ts"], {
    title: "How heights between high and low water are interpolated",
    subtitle: "A half cosine between two extremes",
    narrative:
      "Between an extreme and the next the curve follows half a cosine. In harbours with a double high water (Southampton, Den Helder) the published intermediate values are used, the cosine is wrong by 60 cm there.",
    facts: [
      "Heights follow half a cosine between extremes",
      "Southampton and Den Helder use published intermediate values",
    ],
  }),
  told(214, "bugfix", ["problem-solution"], ["src/time.ts"], {
    title: "Times were an hour off for half the year",
    subtitle: "The tables are in UTC+1 without summer time",
    narrative:
      "The tables of the German coast are in UTC+1 all year. They were parsed as local time. Each harbour carries its table's offset now.",
    facts: ["harbours.json has tableOffset in minutes", "German tables are UTC+1 all year"],
  }),
  told(219, "decision", ["decision", "what-changed"], ["src/chart.ts"], {
    title: "Curves are inline SVG now instead of a canvas drawn with d3",
    subtitle: "The page works without JavaScript",
    narrative:
      "The curve is written as an SVG path at build time. d3 is gone, a page has 14 KB instead of 96 KB, and it can be printed.",
    facts: ["The tide curve is inline SVG made at build time", "d3 was removed; a page has 14 KB"],
  }),
  told(221, "feature", ["what-changed"], ["src/calendar.ts"], {
    title: "Each harbour offers its year as an iCalendar file",
    subtitle: "High waters only, as asked for",
    narrative:
      "harbour.ics lists the high waters of the year as events of zero length, with height and coefficient in the summary.",
    facts: [
      "GET /HARBOUR/harbour.ics lists high waters",
      "Events have no duration, so that they do not block a calendar",
    ],
  }),
  told(228, "discovery", ["trade-off"], ["src/tables"], {
    title: "Tables are bought, not computed from constituents",
    subtitle: "Computation would be free but nobody could vouch for it",
    narrative:
      "Harmonic constituents are free for 140 of the 212 harbours and agree with the tables within 8 cm mostly. Sailors plan by these numbers, so the official tables are licensed for 310 euros a year.",
    facts: [
      "Official tables are licensed: 310 euros a year, to be renewed in November",
      "Own computation was within 8 cm for 140 harbours",
    ],
  }),
  told(233, "bugfix", ["problem-solution", "gotcha"], ["src/moon.ts"], {
    title: "New year's page showed the moon of the year before",
    subtitle: "The year came from the clock of the build machine",
    narrative:
      "The page of 2026 was built in December 2025 and took the year from the clock. The year is an argument of the build now.",
    facts: ["bun run build -- --year 2026; there is no default"],
  }),
  told(240, "feature", ["pattern"], ["test/golden"], {
    title: "Golden pages for six harbours",
    subtitle: "One for each kind of tide",
    narrative:
      "Six pages are compared byte by byte in the tests: semidiurnal, mixed, diurnal, double high water, river, and one without data.",
    facts: ["test/golden holds six pages; UPDATE_GOLDEN=1 writes them anew"],
  }),
  told(244, "change", ["what-changed"], ["src/style.css"], {
    title: "Dark colours follow the system",
    subtitle: "Red for the night is a switch of its own",
    narrative:
      "prefers-color-scheme decides between light and dark. The red night view stays a button, since it has to work on a bright day in a cabin as well.",
    facts: ["The night view sets data-night on the html element and is remembered in localStorage"],
  }),
  told(251, "discovery", ["why-it-exists"], ["src/redirects.ts"], {
    title: "Why /p/NUMBER still redirects",
    subtitle: "Printed on the harbour master's boards",
    narrative:
      "The old site had numbers for harbours, and 60 boards on piers have them in a QR code. The redirects have to stay.",
    facts: ["/p/NUMBER redirects to the harbour's page; 60 printed boards rely on it"],
  }),
];

function told(
  day: number,
  type: string,
  concepts: readonly string[],
  files: readonly string[],
  words: Pick<Note, "title" | "subtitle" | "narrative" | "facts">,
): Note {
  const about: About = { type, concepts, read: files, modified: type === "discovery" ? [] : files };
  return note("tide-charts", day, about, words);
}
