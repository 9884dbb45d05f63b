import { Marked, Renderer } from 'marked'
import { mathsExtensions } from './maths-syntax.ts'
import { reduceHtml } from './reduce-html.ts'

const renderer = new Renderer()
// handlers and addresses of raw HTML never reach the parser of the browser, which would report them
renderer.html = ({ text }) => reduceHtml(text)

/** Reads markdown with formulas; it makes no element of raw HTML that could run or load something. */
export const markdownReader = new Marked({ extensions: mathsExtensions, renderer })
