import { escapeLine } from '../logging/terminal-text.ts'

/** Facts of a listening server for a terminal. */
export interface GreetingFacts {
  /** Address for people, without a slash at the end. */
  readonly url: string
  readonly version: string
  /** Model that answers a chat without a model name; undefined when there is none. */
  readonly model: string | undefined
  readonly needsKey: boolean
  /** Whether a browser finds the web interface at the address. */
  readonly hasInterface: boolean
  readonly color: boolean
}

/** SGR codes at the start and end of a style. */
const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const

function styled(style: keyof typeof STYLES, text: string): string {
  const [begin, end] = STYLES[style]
  return `\u001b[${begin}m${text}\u001b[${end}m`
}

/**
 * Formats the first lines of a server at a terminal: the address to open, the answering model, and how to add a model. There
 * is one address: that of the web interface, or of the API page where there is none.
 */
export function formatGreeting({ url, version, model, needsKey, hasInterface, color }: GreetingFacts): string {
  const paint = (style: keyof typeof STYLES, text: string): string => (color ? styled(style, text) : text)
  const rows: readonly (readonly [string, string])[] = [
    hasInterface
      ? ['Open', paint('cyan', escapeLine(url))]
      : ['API', paint('cyan', escapeLine(`${url}/swagger/index.html`))],
    ['Model', model === undefined ? paint('yellow', 'none answers a chat yet') : paint('green', escapeLine(model))],
    ['Add a model', paint('bold', 'svc models add FILE')],
    ...(needsKey && !hasInterface ? [['Key', 'every request needs one: Authorization: Bearer YOUR-KEY'] as const] : []),
  ]
  const width = Math.max(...rows.map(([label]) => label.length))
  const lines = rows.map(([label, value]) => `  ${paint('dim', label.padEnd(width))}  ${value}`)
  return ['', `  ${paint('bold', `svc ${version}`)}`, ...lines, '', ''].join('\n')
}

/** Gives an address that a browser on this machine can open: the unspecified address becomes `localhost`. */
export function toReachableUrl(url: string): string {
  return url.replace(/^(https?:\/\/)(?:0\.0\.0\.0|\[::\])(?=:|\/|$)/, '$1localhost').replace(/\/$/, '')
}

/** Whether a terminal wants colours (no-color.org). */
export function wantsColor(environment: Readonly<Record<string, string | undefined>>): boolean {
  return (environment.NO_COLOR ?? '') === '' && environment.TERM !== 'dumb'
}
