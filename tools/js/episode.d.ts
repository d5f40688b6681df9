// What the server sends of an episode that is played (`app/wire.py`, `app/play_api.py`), for the checker of types alone: nothing of this is served.

/** A thing of the scene that an action can take. */
interface SceneObject {
  handle: string;
  name: string;
  /** By which list and picture name it; 0: by none. */
  number: number;
  /** In the picture, in its pixels; null: it is not seen there. */
  box: number[] | null;
  unseen: boolean;
}

/** An acknowledged step. */
interface Step {
  seq: number;
  ok: boolean;
  words: string;
  /** How many views are left. */
  left: number;
  /** No view is left. */
  forced: boolean;
  phase: string;
  phase_used: boolean;
  phase_next: boolean;
  /** Which part of the task is shown, of how many; 0: it has none. */
  part: number;
  parts: number;
  objects: SceneObject[];
  /** Action, with its relation where it has one → for each of its objects which handles it may be. */
  choices: Record<string, string[][]>;
  reach: string;
  held: { handle: string; name: string } | null;
  pictures: number;
  /** After how long the next picture comes by itself (ms). */
  next_ms: number | null;
  saved_at: string;
  /** Of a reply to an action alone: bytes of each of its pictures. */
  sizes: number[];
  timing?: Record<string, number>;
}

/** An action as the page offers it. */
interface OfferedAction {
  name: string;
  label: string;
  short: string;
  /** Kinds of its arguments in order: obj, rel. */
  form: string[];
  /** With a place in braces for each argument. */
  sentence: string;
  /** Pairs of arguments that are the same object. */
  same: [number, number][];
  /** What each object is asked for by. */
  asks: string[];
  /** takes, frees, or nothing */
  hand: string;
  likely_held: number[];
  /** The group of buttons, and the place in it. */
  pad: [string, number] | null;
}

/** What `api/open` gives of a task. */
interface Task {
  epoch: number;
  state: string;
  over: boolean;
  question: Question & { note: string };
  /** camera, frames, grid or words */
  opens: string;
  told: string[];
  parts: number[];
  by_itself: boolean;
  early_answer: boolean;
  budget: number;
  /** none, last5 or all */
  history: string;
  enlarge: boolean;
  /** Which earlier pictures are shown. */
  frames: number[];
  belief_bar: boolean;
  probe_every: number;
  confidence_required: boolean;
  belief: { n: number; answer: Answer | null; confidence: number | null; saved_at: string } | null;
  width: number;
  height: number;
  step: Step;
  saved_at: string;
  controls: { actions: OfferedAction[]; relations: { name: string; label: string }[]; keys: { name: string; label: string; code: string }[] };
  clock: { left: number | null; limit: string };
  ended_by: string;
  answered: boolean;
}

/** The end of a task. */
interface Ended {
  state: string;
  saved_at: string;
  ended_by?: string;
  answered?: boolean;
  answer?: Answer | null;
  /** Only where the protocol shows it. */
  feedback?: { correct: boolean; right_answer: Answer };
  comes_again?: boolean;
}
