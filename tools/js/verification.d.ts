// What the server sends of a task that is verified or adjudicated (`annotation/verifying/evidence.py`, `app/verify_api.py`,
// `app/adjudicate_api.py`), for the checker of types alone: nothing of this is served.

/** A kept picture, and where it is served. */
interface KeptPicture {
  url: string;
  width: number;
  height: number;
}

/** What a participant sees of a task at the start. */
interface FirstView extends Omit<Question, 'text' | 'stacked'> {
  question: string;
  note: string;
  pictures: KeptPicture[];
}

/** An object at one view, as people read it: metres, pixels of the view. */
interface SeenThing {
  words: string;
  room: string;
  present: boolean;
  pixels: number;
  states: string[];
  faults: string[];
  centre_m: number[];
  size_m: number[];
  box: number[] | null;
}

/** One view of the verified trajectory. */
interface EvidenceMoment {
  picture: KeptPicture;
  /** What was done; empty at the start. */
  action: string;
  result: string;
  ok: boolean;
  phase: string;
  clipped: boolean;
  things: SeenThing[];
  relations: string[];
}

/** A name, and x0, y0, x1, y1 in metres. */
type NamedPlace = [string, [number, number, number, number]];

/** Everything that is released after the first stage. */
interface Released {
  answers: string[];
  derivation: string;
  evidence: {
    moments: EvidenceMoment[];
    /** The scene from above; the camera's x, y and yaw (degrees) at every view. */
    map: { rooms: NamedPlace[]; things: NamedPlace[]; camera: [number, number, number][] } | null;
    notes: string[];
    /** The answer that a rule reads from the states; empty: none does. */
    derived: string;
  } | null;
  why_none: string;
  checklist: { axis: string; text: string; holds: boolean | null; why: string }[];
  flags: { check: string; severity: string; text: string }[];
  twin: FirstView | null;
  twin_answers: string[];
  definition: string;
  can_take_over: boolean;
  fidelity: string;
}

/** What is judged by itself, with the reasons for which it can fail: keys and words. */
interface JudgedAxis {
  name: string;
  label: string;
  /** Said where nothing is chosen. */
  ask: string;
  reasons: [string, string][];
}

/** What somebody chose on one axis. */
interface AxisVote {
  vote: string;
  reasons: string[];
}
