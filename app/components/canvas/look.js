// The drawing component to look at only; look.css puts it close together.
export { mount } from './canvas.js';
