// What the server sends of items and of tasks that are made (`app/qa_items_api.py`, `app/author_api.py`, `annotation/authoring/draft.py`), for
// the checker of types alone: nothing of this is served. Lengths are metres, angles degrees.

/** A mark that somebody drew on a view. */
type ItemMark = import('../../app/components/canvas/geometry.js').Mark;

/** How a wrong option was made. */
interface Origin {
  kind: string;
  note: string;
  episode: string;
  moment: string;
}

/** A picture that is an option. */
interface OptionImage {
  view: string;
  image: string;
  width: number;
  height: number;
}

/** The fields of an item that its editor changes; options and what belongs to them by letter. */
interface ItemFields {
  reference_view: string;
  cubes: import('../../app/components/canvas/cubegrid.js').Cube[];
  slots: Record<string, string>;
  question: string;
  options: Record<string, string>;
  option_images: Partial<Record<string, OptionImage>>;
  gold: string | null;
  hard: string[];
  provenance: Partial<Record<string, Origin>>;
  unique_confirmed: boolean;
}

/** A rule that is not kept: which field it is about, and what to do. */
interface Problem {
  field: string;
  sentence: string;
}

/** An item as its editor shows it. */
interface ItemState {
  rev: number;
  saved_at: string;
  state: string;
  changeable: boolean;
  /** What it is called where nothing can be changed any more. */
  closed: string;
  returned: boolean;
  item: ItemFields & { views: { view: string; width: number; height: number; image: string }[] };
  marks: ItemMark[];
  problems: Problem[];
  /** How many things are left to do. */
  left: number;
  /** The question as the template has it. */
  template: string;
  /** Letter → the directions in its text. */
  directions: Partial<Record<string, string[]>>;
  /** Letter → kind → why the option cannot have been made so. */
  unfit: Partial<Record<string, Record<string, string>>>;
}

/** What a subtask asks of its items. */
interface DeclaredSubtask {
  slug: string;
  /** colour, directions, triplets, images or text */
  option_kind: string;
  /** Kind of a wrong option → words. */
  distractors: Record<string, string>;
  advice: string;
  marks: { kinds: string[]; colours: string[]; where: string; absent: boolean };
  slots: { name: string; label: string; choices: string[]; required: boolean }[];
  views: { name: string; words: string }[];
  cubes: boolean;
  /** Whether geometry suggests something. */
  helps: boolean;
  /** How a motion begins in words. */
  begins: string;
}

/** An object of a task that is made. */
interface PlacedThing {
  key: string;
  category: string;
  x_m: number;
  y_m: number;
  /** Of its lower face; null: it stands on the floor. */
  z_m: number | null;
  turn_deg: number;
  scale: number;
  /** null: as the catalogue has it. */
  size_m: number[] | null;
  loose: boolean;
  rest: object | null;
  /** How the question names it; empty: not at all. */
  words: string;
  essential: boolean;
  vessel: boolean;
  /** In which parts it is not there. */
  absent: number[];
  /** Where it stands in part 2 instead. */
  moved: number[] | null;
  params: Record<string, unknown>;
}

/** A blank of a question. */
interface TaskBlank {
  name: string;
  options: string[];
  right: string;
}

/** The document of a task that is made. */
interface TaskDraft {
  question: string;
  form: string;
  options: string[];
  targets: string[];
  blanks: TaskBlank[];
  gold: string;
  assigned: Record<string, string>;
  note: string;
  argument: string;
  reason: string;
  asks: string;
  about: string[];
  about_rooms: string[];
  against: string;
  counted: string;
  given: string;
  room_kind: string;
  seed: number;
  furnished: boolean;
  bounds_m: number[];
  clear_m: number[] | null;
  house_rooms: number;
  lighting: string;
  settle_steps: number;
  things: PlacedThing[];
  parts: number;
  eye: { x_m: number; y_m: number; z_m: number; yaw_deg: number; pitch_deg: number };
  width: number;
  height: number;
  hfov_deg: number;
}

/** Where a picture of the start view is. */
interface TaskFrame {
  url: string;
  width: number;
  height: number;
}

/** A draft as its editor shows it. */
interface TaskState {
  rev: number;
  saved_at: string;
  open: boolean;
  document: TaskDraft;
  missing: string[];
  /** The question as the generator words it. */
  worded: string;
  /** What can be asked in the generator's terms. */
  asks: string[];
  rooms: { name: string; rects: number[][] }[];
  frame?: TaskFrame;
}

/** What a simulator made of a draft; boxes x0, y0, z0, x1, y1, z1. */
interface BuiltTask {
  things: { key: string; box_m: number[]; room: string; pixels: number; states: string[]; faults: string[]; stale?: boolean }[];
  relations: string[];
  faults: string[];
  frame: TaskFrame;
}
