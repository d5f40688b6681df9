// What the server sends to more than one of our pages, for the checker of types alone: nothing of this is served.

/** A question of a task, as the pages of participants and annotators get it (`study/reading.py`). */
interface Question {
  /** yes_no, choice, count, number, sequence, blanks, assignment, pair or free_text */
  form: string;
  text: string;
  options: string[];
  /** Of an assignment: what each option may be given to. */
  targets: string[];
  /** Of blanks and pairs: what may stand in each. */
  blanks: string[][];
  blank_names: string[];
  /** Of a sequence: its first item lies at the bottom. */
  stacked?: boolean;
}

/** One text; texts in an order; or a text for each name. */
type Answer = string | string[] | Record<string, string>;

/** The control of one form of answer (`forms.js`). */
interface AnswerControl {
  element: HTMLElement;
  /** null while it is not whole */
  value: () => Answer | null;
  /** What is there of it so far. */
  partial?: () => Answer;
  set: (answer: any) => void;
  /** What to do, in words. */
  missing: () => string;
  /** A digit or a letter was pressed, at ms of the page's clock; whether it meant something here. */
  digit: (key: number | string, at: number) => boolean;
  focus: () => void;
}

/** How far the whole session is. */
interface Progress {
  done: number;
  all: number;
  words: string;
}

/** What is said to whoever is about to stop. */
interface StopWords {
  payment?: string;
  /** After how many minutes a task that was left is given to somebody else. */
  hold_minutes?: number;
  contact?: string;
}

/** What passing trouble says of itself; null: it is over. */
type Trouble = import('../../app/components/page/api.js').Sign | null;

/** What a component tells its page: that something has happened, or is so from now on. */
type Tell = (name: string, value: any) => void;
