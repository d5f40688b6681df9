"""English: the catalogue from which every other one is made. Keys are ``group.name``; a place for a value is ``{name}``.

Plain sentences, no contractions, no exclamation marks; nothing in them hints at what makes a task hard (measurement 5).
"""

from __future__ import annotations

from collections.abc import Mapping

from study.wordings.actions import ACTION
from study.wordings.english_pages import PAGES
from study.wordings.english_results import RESULTS

NAME: str = "English"

ENTRY: Mapping[str, str] = {
    "entry.computer": "A computer with a keyboard works best.",
    "entry.computer_and_window": "A computer with a keyboard works best, and a window of at least {window}.",
    "entry.pixels_wide": "{n} pixels wide",
    "entry.pixels_high": "{n} pixels high",
    "entry.pixels_both": "{width} pixels wide and {height} pixels high",
    "entry.window_small": "This study needs a window of at least {window}; this one is smaller. Make the window larger, or what it shows "
    "smaller (Ctrl and −, on a Mac ⌘ and −). You can take part as it is; the pictures are then shown smaller.",
    "entry.window_refused": "This study needs a window of at least {window}; this one is smaller. Make the window larger, or what it shows "
    "smaller (Ctrl and −, on a Mac ⌘ and −). Then you can take part here. On a phone it is not possible.",
    "entry.in_the_way": "This study cannot be reached properly here",
    "entry.in_the_way_told": "What you do here would not reach it, so nothing is asked of you, and nothing was kept. Please tell the "
    "person who invited you, and show them what follows.",
    "entry.link_broken": "This link does not work",
    "entry.to_start": "To the start page",
    "entry.shared_before": "Whoever took part at this computer before you is done here as soon as you choose below.",
    "entry.other_before": "Somebody took part in this browser before. If that was you, {link}; if not, choose below.",
    "entry.other_go_on": "go on there",
    "entry.signed_out": "This browser is signed in as {roles}: whoever takes part signs it out.",
    "entry.back_told": "You have been here before. You go on where you were; where this study is open in another browser, it ends there.",
    "entry.go_on": "Go on",
    "entry.next_person": "Next person",
    "entry.next_person_told": "The place at this computer goes to the next person. Everything that the person before did is saved; from "
    "this computer nobody can see it, go on with it or take it back any more.",
    "entry.next_person_asked": "Does somebody else take part at this computer?",
    "entry.next_person_means": "They begin anew, and see nothing of what you did. From this computer you cannot come back then.",
}
"""The way in."""

CONSENT: Mapping[str, str] = {
    "consent.welcome": "Welcome. You will look around in rooms and houses, step by step, and answer a question about each.",
    "consent.tasks": "There are {n} tasks.",
    "consent.one_task": "There is one task.",
    "consent.title": "Taking part",
    "consent.text": "Your actions, the views you see and your answers are recorded under a pseudonym. You can stop at any time.",
    "consent.version": "Version of this text: {version}",
    "consent.agree": "I have read this, and I want to take part.",
    "consent.take_part": "Take part",
    "consent.no_thanks": "No, thank you",
    "consent.tick_first": "Please tick the box above first, or choose “No, thank you”.",
    "consent.ask": "Questions before you begin? You can ask: {contact}",
    "consent.continue": "Continue",
    "consent.reconsider": "I have changed my mind",
}
"""Welcome and consent, where the study has no words of its own, and the choice."""

TASK: Mapping[str, str] = {
    "task.title": "Task {number} of {total}",
    "task.practice": "Practice",
    "task.practice_title": "Practice task (does not count)",
    "task.practice_told": "This is for practice. One press moves the camera by 25 cm or turns it by 15°, and costs one view. Hands reach "
    "what is within 1.5 m of the camera. In some tasks the views are too few to see everything: then give your best guess, and say how "
    "sure you are.",
    "task.begin": "Begin the tasks",
    "task.next": "Next task",
    "task.finish": "Finish",
    "task.pause": "Take a break if you like: time between tasks is yours.",
    "task.question_title": "Question {number} of {total}",
    "task.question_practice_title": "Practice question (does not count)",
    "task.question_begin": "Begin the questions",
    "task.question_next": "Next question",
    "task.go_on": "Please go on with this one.",
    "task.away": "You were away for more than {minutes} minutes, so the task that waited for you was given to somebody else.",
    "task.timed_out": "Nothing happened in the task you had begun for more than {minutes} minutes, so its place was freed for others. What "
    "you did in it is kept.",
    "task.session_time_up": "The time of this session is up, so the session is over. All that you answered is kept and counts.",
}
"""Between tasks, and around them."""

SEAT: Mapping[str, str] = {
    "seat.waiting_title": "Please wait for a place",
    "seat.waiting": "All places of this study are taken at the moment. You are number {number} in the queue, since {since}. When a place "
    "comes free, this page goes on by itself: please keep it open. You can also come back by the same link; your place is kept.",
    "seat.between_title": "Session {number} of {total} is done",
    "seat.between": "Everything is saved. Begin the next session whenever you like: now, or later by the same link.",
    "seat.later": "Everything is saved. The next session can be begun after {at}: please come back then by the same link.",
    "seat.begin": "Begin the next session",
}
"""Where somebody waits for a place, finds none, or is between two sessions."""

END: Mapping[str, str] = {
    "end.access_ended": "Your access has ended. Open your link again.",
    "end.cannot": "You cannot take part",
    "end.thanks": "Thank you",
    "end.thanks_told": "You have done all tasks. Everything is saved.",
    "end.stopped": "You have stopped",
    "end.ended": "Your part has ended",
    "end.ended_told": "The researchers ended your part in this study. What you did so far is kept.",
    "end.stopped_told": "What you did so far is kept.",
    "end.declined": "You did not take part",
    "end.declined_told": "No task was shown and no answer recorded; only that you came here and declined is kept.",
    "end.screened_out": "You cannot take part",
    "end.screened_out_told": "This study is for people with other answers than yours. Thank you for your time.",
    "end.full": "This study is full",
    "end.full_told": "All places of this study are taken, and none will come free for you. Thank you for your interest.",
    "end.look_again": "Look again for a place",
    "end.failed": "We are sorry",
    "end.failed_told": "A fault of ours kept you from going on. What you did so far is kept.",
    "end.close": "You can close this window.",
    "end.about": "About this study",
    "end.code": "Your code",
    "end.code_how": "Copy it, and enter it where you found this study.",
    "end.back": "Go back to {host}",
    "end.soon": "You are taken there in {seconds} seconds. Everything is saved.",
    "end.stay": "Stay here",
    "end.tried": "You are trying this study out: people who take part read their code here, and find their way back.",
    "end.not_yet": "We are making sure that everything is saved, and could not yet. Nothing is lost: please wait a moment, and try again.",
    "end.try_again": "Try again",
    "end.take_back": "Take my data back…",
    "end.take_back_asked": "Take your data back?",
    "end.take_back_means": "Nothing that you did in this study will be used. This cannot be undone.",
    "end.take_back_keep": "Keep my data",
    "end.take_back_do": "Take my data back",
    "end.withdrawn": "Your data are taken back",
    "end.withdrawn_told": "They will not be used.",
    "end.switch": "Switch to another role",
}
"""The last pages."""

HELP: Mapping[str, str] = {
    "help.title": "Questions, or a problem?",
    "help.ask": "You can ask:",
    "help.what": "What is wrong? The researchers will read it.",
    "help.send": "Send",
    "help.length": "Describe the problem in 1 to {most} characters.",
    "help.many": "You have reported a great many problems already; please write to the researchers.",
    "help.saved": "Thank you. It is saved, and the researchers will read it.",
}
"""At the foot of the pages between tasks."""


TUTORIAL: Mapping[str, str] = {
    "tutorial.title": "Worked example {number} of {total} (does not count)",
    "tutorial.again": "Begin this example again",
    "tutorial.used_up": "All views are used, and something on the list is still open. Begin this example again: that is no fault.",
    "tutorial.todo": "Try each of these once; then answer the question.",
    "tutorial.done": "done",
    "tutorial.open": "still to do",
    "tutorial.first": "First do what is still on the list: {things}.",
    "tutorial.begin": "Go on",
    "tutorial.once_more": "Here is this example once more: try everything on the list, then answer.",
    "tutorial.comes_again": "This example comes once more, so that you can try it again.",
    "tutorial.move": "Move forward, backward, left or right: one press is a step of 25 cm",
    "tutorial.rise": "Move up or down, also by 25 cm",
    "tutorial.turn": "Turn left or right: one press turns by 15°",
    "tutorial.tilt": "Look up or down, also by 15°",
    "tutorial.object": "{action} (under “With an object”)",
    "tutorial.wait": "Wait: time passes, and the camera stays",
    "tutorial.part": "Go on to the next part",
    "tutorial.look": "Enlarge one of the pictures",
    "tutorial.next": "Go through all pictures",
    "tutorial.answer": "Note an answer: you can change it until you give it",
    "tutorial.sure": "Say how sure you are",
}
"""Worked examples: what every control does, and nothing of what makes a task hard."""

INSTRUCTIONS: Mapping[str, str] = {
    "instructions.title": "Instructions",
    "instructions.tasks": "There are {n} tasks. In each you answer one question about a place.",
    "instructions.only_acting": "You see the place through a camera, and move and turn it step by step, by keys or buttons. Each step "
    "shows one new view. The page shows how many views are left.",
    "instructions.acting": "In some tasks you see the place through a camera, and move and turn it step by step, by keys or buttons. Each "
    "step shows one new view. The page shows how many views are left.",
    "instructions.only_looking": "You look at pictures of the place that were taken before. You do not move a camera yourself.",
    "instructions.looking": "In some tasks you look at pictures of the place that were taken before. There you do not move a camera "
    "yourself.",
    "instructions.only_words": "No picture of the place is shown: answer from the words.",
    "instructions.words": "In some tasks no picture of the place is shown: answer from the words.",
    "instructions.evidence": "Look as you like, gather as much evidence as you need, and answer only when you are confident. There is no "
    "hurry.",
    "instructions.evidence_in_time": "Look as you like, gather as much evidence as you need, and answer only when you are confident.",
    "instructions.sure": "With each answer you say how likely it is that it is right, from 0 to 100 percent.",
    "instructions.sure_if": "With each answer you can say how likely it is that it is right, from 0 to 100 percent.",
    "instructions.noted": "On the way you can note what you think so far. Only “Give final answer” ends a task; after that the answer "
    "cannot be changed.",
    "instructions.coming_back": "All that you do is saved at once. You can close the window and come back by the same link, and you can "
    "stop at any time.",
    "instructions.time_task": "For each task you have {time}. The time that is left stands above the picture. When it is up, what you have "
    "chosen by then is your answer, and you go on with the next task.",
    "instructions.time_session": "A session takes at most {time} at the tasks. When that time is up, the session ends; all that you have "
    "answered is kept and counts.",
    "instructions.time_stops": "Waiting for the program, breaks, and time with the page closed are not counted.",
    "instructions.minutes": "{n} minutes",
    "instructions.minute": "1 minute",
    "instructions.seconds": "{n} seconds",
    "instructions.examples": "First come examples, to try everything once. They do not count, and after each you read whether your answer "
    "was right. In the tasks you do not.",
    "instructions.practice": "First comes a task for practice, which does not count.",
    "instructions.hands": "To handle a thing, choose below the moves what to do, then the thing, then “Do it”: one step.",
    "instructions.numbers": "While you choose, the picture has the numbers of the list. A thing without a number is listed by words.",
    "instructions.go_on": "Go on",
}
"""Around a study's own instructions."""

BREAK: Mapping[str, str] = {
    "message.title": "A message from the researchers",
    "message.no_answer": "You cannot answer here. Whom you can reach:",
    "message.read": "I have read it",
    "break.title": "Time for a break",
    "break.told": "You have done {done} of {total} tasks. Rest your eyes as long as you like; nothing is running.",
    "break.go_on": "Go on",
    "break.progress": "{done} of {total} steps of this study are done, questions and practice included",
}
"""Breaks, and how far somebody is."""

FORM: Mapping[str, str] = {
    "form.continue": "Continue",
    "form.decline": "I prefer not to say",
    "form.optional": "(optional)",
    "form.again": "Some answers were not right. Please read the notes, and answer again.",
    "form.again_look": "Please look once more. The note beside the question says what may help.",
    "form.again_right": "Some answers were not right. Please read the notes beside those questions, and answer them again. What was "
    "right still stands.",
    "form.saved": "Saved",
    "form.reload": "Reload the page",
    "form.note_first": "Please note",
    "form.go_on": "Go on",
    "form.fetching": "One moment…",
    "form.missing": "Please answer this question.",
    "form.incomplete": "Some answers are missing or cannot be read: see beside each question.",
    "form.warning": "Some of your answers differ from what was expected here. You may go on all the same; nothing is held against you.",
    "form.choose": "Choose one of the answers.",
    "form.tick": "Tick any of the answers.",
    "form.point": "Choose a point from 1 to {points}.",
    "form.number": "Give a number.",
    "form.whole": "Give a whole number.",
    "form.number_from_to": "Give a number from {least} to {most}.",
    "form.number_from": "Give a number of {least} or more.",
    "form.number_to": "Give a number of at most {most}.",
    "form.text": "Write 1 to {most} characters.",
    "form.sent_already": "This page is sent already.",
    "form.over": "Your part in this study has ended. Reload the page.",
    "form.too_often": "This answer was changed {most} times, which is the most that is kept. Send the page as it is.",
    "form.no_item": "There is no such question on this page. Reload it.",
    "form.not_yours": "This page is not yours, or your access has ended. Open your link again.",
}
"""Questionnaires."""

TEXTS: Mapping[str, str] = {
    **ENTRY, **CONSENT, **TASK, **SEAT, **END, **HELP, **TUTORIAL, **INSTRUCTIONS, **BREAK, **FORM, **PAGES, **RESULTS, **ACTION
}  # fmt: skip
"""All of it."""
