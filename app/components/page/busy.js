// A part of a page that sends one thing at a time: until there is an answer, or what comes next is shown, it begins nothing else.

export class Busy {
  /** @type {HTMLElement} */ shell;

  /** Whether something is under way. The shell says so as `data-busy`; not as `aria-busy`, which would keep the status from being read out. */
  get busy() { return this.shell.hasAttribute('data-busy'); }

  set busy(on) { this.shell.toggleAttribute('data-busy', on); }
}
