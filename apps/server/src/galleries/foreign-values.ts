import type { YamlNode } from '../catalog/yaml/node.ts'
import { FALSE_WORDS, TRUE_WORDS } from '../catalog/yaml/scalars.ts'

/** Something that an option of an engine may reach. */
export type EngineReach = 'secret' | 'file' | 'command' | 'upstream' | 'nothing'

/** An absolute path in the form of any system, or the home of somebody. */
const ABSOLUTE = /^\s*(?:[/\\~]|[a-zA-Z]:[/\\])/
const PARENT = /(?:^|[/\\])\.\.(?:[/\\]|$)/
const ADDRESS = /^\s*[a-zA-Z][a-zA-Z0-9+.-]*:\/\//
/** A variable or a command in the form of a shell. */
const VARIABLE = /\$[\w{(]/

/** Whether a text names something outside the models folder: another place of the disk, or an address. */
export function leadsOut(text: string): boolean {
  return [ABSOLUTE, PARENT, ADDRESS, VARIABLE].some((pattern) => pattern.test(text)) || text.includes('\0')
}

/** A host with a port, or an address of the network: `evil.example:50052`, `10.0.0.1`, `[fd00::1]`. */
const HOSTS = [
  /(?<![\w.-])(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*:\d{2,5}(?![\w.])/i,
  /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])/,
  /\[[0-9a-f]{0,4}:[0-9a-f]{0,4}:[0-9a-f:.]{0,40}\]/i,
]

/** Names of options of engines by their reach, for all engines alike. */
const NAMES: readonly (readonly [reach: Exclude<EngineReach, 'nothing'>, pattern: RegExp])[] = [
  ['secret', /(?:^|[._-])(?:(?:api|auth|access|hf|bearer)[_-]?(?:key|token)|secrets?|passwords?|credentials?)$/i],
  [
    'upstream',
    /(?:^|[._-])(?:(?:rpc|grpc)[_-]?servers?|urls?|uris?|endpoints?|hosts?|servers?|peers?|api[_-]?base|addr|address(?:es)?|ip|proxy)$/i,
  ],
  ['file', /(?:^|[._-])(?:local[_-])?media[_-]path$/i],
  [
    'command',
    /^(?:.*[._-])?(?:trust[_-]remote[_-]code|custom[_-](?:pipeline|generate|ops?|code)|cls|class|plugins?|module(?:[_-]path)?|processors?|hooks?|callbacks?|middlewares?|commands?|cmd|exec|executable|env(?:ironment)?)$/i,
  ],
]

/** Finds the reach of an option of an engine: `name:value`, `name=value`, a bare name, or a map of options. */
export function findEngineReach(node: YamlNode): EngineReach {
  return node.kind === 'scalar' ? judgeText(node.text) : judgeTree('', node)
}

function judgeTree(name: string, node: YamlNode): EngineReach {
  if (node.kind === 'scalar') return judgeName(name, node.text) ?? judgeText(node.text)
  const named = judgeName(name, 'set')
  if (named !== undefined) return named
  const parts: readonly (readonly [string, YamlNode])[] =
    node.kind === 'list'
      ? node.items.map((item) => [name, item] as const)
      : [...node.entries].map(([key, { value }]) => [key, value] as const)
  for (const [key, part] of parts) {
    const reach = judgeTree(key, part)
    if (reach !== 'nothing') return reach
  }
  return 'nothing'
}

function judgeName(name: string, value: string): EngineReach | undefined {
  if (isOff(value)) return undefined
  const reach = NAMES.find(([, pattern]) => pattern.test(name))?.[0]
  // A switch such as `enable_endpoint` may let code run, but it cannot name a secret or a host.
  return reach !== 'command' && isOn(value) ? undefined : reach
}

/** Names with their values; one text may hold several, also as JSON. */
const PAIR = /(?<![\w.-])([\w.-]+)["']?\s*[:=]\s*("[^"]*"|'[^']*'|[^\s,;"']*)/g

function judgeText(text: string): EngineReach {
  if (/^\s*[\w.-]+\s*$/.test(text)) return judgeName(text.trim(), 'true') ?? judgeValue(text)
  for (const [, name = '', value = ''] of text.matchAll(PAIR)) {
    const reach = judgeName(name, value.replaceAll(/["'\]})]/g, ''))
    if (reach !== undefined) return reach
  }
  return judgeValue(text)
}

/** A value may hold several names. */
function judgeValue(value: string): EngineReach {
  if ([/[a-zA-Z0-9+.-]:\/\//, ...HOSTS].some((pattern) => pattern.test(value))) return 'upstream'
  const pieces = [value, ...value.split(/[\s"'`,;|=:(){}[\]]+/)]
  return pieces.some((piece) => piece !== '' && leadsOut(piece)) ? 'file' : 'nothing'
}

function isOff(value: string): boolean {
  return value.trim() === '' || value.trim() === '0' || FALSE_WORDS.has(value.trim())
}

function isOn(value: string): boolean {
  return value.trim() === '1' || TRUE_WORDS.has(value.trim())
}
