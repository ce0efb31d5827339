/**
 * The words of a batch, numbered as they come, each with the lines that have it. Every word of every
 * statement is looked up here, so all of it stands in a few arrays of numbers.
 */
export class Vocabulary<Line> {
  /** How many words there are. */
  size = 0;
  /** By number. */
  words = new Int32Array(CAPACITY);
  /** How many lines have the word, by its number. */
  held = new Int32Array(CAPACITY);
  /** The reading that a word was last met in. */
  private met = new Int32Array(CAPACITY);
  private readings = 0;
  /** Hash table of numbers + 1. */
  private slots = new Int32Array(2 * CAPACITY);
  /** Lists of lines: a word's first and last entry, an entry's line and the entry behind it. */
  private first = new Int32Array(CAPACITY);
  private last = new Int32Array(CAPACITY);
  private readonly lines: Line[] = [];
  private readonly next: number[] = [];

  /** The numbers of a reading's words, each once, in order. */
  numbersOf(words: readonly number[]): number[] {
    const reading = ++this.readings;
    const numbers: number[] = [];
    for (const word of words) {
      const number = this.numberOf(word);
      if (this.met[number] === reading) continue;
      this.met[number] = reading;
      numbers.push(number);
    }
    return numbers;
  }

  /** The lines that have a word, as they came. */
  linesWith(word: number): Line[] {
    const number = (this.slots[this.slotOf(word)] as number) - 1;
    const found: Line[] = [];
    if (number < 0 || this.held[number] === 0) return found;
    for (let at = this.first[number] as number; at >= 0; at = this.next[at] as number)
      found.push(this.lines[at] as Line);
    return found;
  }

  /** The first of the lines with the word of a number that is as asked. */
  findLine(number: number, isAsked: (line: Line) => boolean): Line | undefined {
    if (this.held[number] === 0) return undefined;
    for (let at = this.first[number] as number; at >= 0; at = this.next[at] as number) {
      const line = this.lines[at] as Line;
      if (isAsked(line)) return line;
    }
    return undefined;
  }

  /** A line is not entered twice in a row. */
  enter(number: number, line: Line): void {
    const entry = this.lines.length;
    if (this.held[number] === 0) this.first[number] = entry;
    else {
      const last = this.last[number] as number;
      if (this.lines[last] === line) return;
      this.next[last] = entry;
    }
    this.last[number] = entry;
    this.held[number] = (this.held[number] as number) + 1;
    this.lines.push(line);
    this.next.push(-1);
  }

  private numberOf(word: number): number {
    const slot = this.slotOf(word);
    const known = this.slots[slot] as number;
    if (known > 0) return known - 1;
    const number = this.size++;
    if (number === this.words.length) this.grow();
    this.words[number] = word;
    this.slots[this.slotOf(word)] = number + 1;
    return number;
  }

  /** Where the word stands, else the free place for it. */
  private slotOf(word: number): number {
    const mask = this.slots.length - 1;
    let slot = (word ^ (word >>> 15)) & mask;
    for (;;) {
      const known = this.slots[slot] as number;
      if (known === 0 || this.words[known - 1] === word) return slot;
      slot = (slot + 1) & mask;
    }
  }

  private grow(): void {
    const known = this.words.length;
    this.words = twice(this.words);
    this.held = twice(this.held);
    this.met = twice(this.met);
    this.first = twice(this.first);
    this.last = twice(this.last);
    this.slots = new Int32Array(4 * known);
    for (let number = 0; number < known; number++)
      this.slots[this.slotOf(this.words[number] as number)] = number + 1;
  }
}

const CAPACITY = 1 << 11;

function twice(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}
