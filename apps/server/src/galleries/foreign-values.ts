import type { YamlNode } from '../catalog/yaml/node.ts'
import { FALSE_WORDS, TRUE_WORDS } from '../catalog/yaml/scalars.ts'

/** Something that an option of an engine may reach. */
export type EngineReach = 'secret' | 'file' | 'command' | 'upstream' | 'nothing'

/** An absolute path in the form of any system, or the home of somebody. */
const ABSOLUTE = /^\s*(?:[/\\~]|[a-zA-Z]:[/\\])/
const PARENT = /(?:^|[/\\])\.\.(?:[/\\]|$)/
const ADDRESS = /^\s*[a-zA-Z][a-zA-Z0-9+.-]*:\/\//

/** Whether a text names something outside the models folder: another place of the disk, or an address. */
export function leadsOut(text: string): boolean {
  return ABSOLUTE.test(text) || PARENT.test(text) || ADDRESS.test(text) || text.includes('\0')
}

/** Names of options of engines by what they reach, for all engines alike. */
const NAMES: readonly (readonly [reach: Exclude<EngineReach, 'nothing' | 'file'>, pattern: RegExp])[] = [
  ['secret', /(?:^|[._-])(?:(?:api|auth|access|hf|bearer)[_-]?(?:key|token)|secrets?|passwords?|credentials?)$/i],
  ['upstream', /(?:^|[._-])(?:(?:rpc|grpc)[_-]?servers?|urls?|uris?|endpoints?|hosts?|addr|address(?:es)?|ip|proxy)$/i],
  [
    'command',
    /^(?:.*[._-])?(?:trust[_-]remote[_-]code|cls|class|plugins?|module(?:[_-]path)?|processors?|hooks?|commands?|cmd|exec|executable)$/i,
  ],
]

/** Finds the reach of an option of an engine: `name:value`, `name=value`, or a map of options. */
export function findEngineReach(node: YamlNode): EngineReach {
  if (node.kind !== 'scalar') return judgeTree('', node)
  const [, name = '', value = node.text] = /^\s*([\w.-]+)\s*[:=](.*)$/s.exec(node.text) ?? []
  return judgeName(name, value) ?? judgeValue(value)
}

function judgeTree(name: string, node: YamlNode): EngineReach {
  if (node.kind === 'scalar') return judgeName(name, node.text) ?? judgeValue(node.text)
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

/** A value may hold several names. */
function judgeValue(value: string): EngineReach {
  if (/[a-zA-Z][a-zA-Z0-9+.-]*:\/\//.test(value)) return 'upstream'
  const pieces = [value, ...value.split(/[\s"'`,;|=:(){}[\]]+/)]
  return pieces.some((piece) => piece !== '' && leadsOut(piece)) ? 'file' : 'nothing'
}

function isOff(value: string): boolean {
  return value.trim() === '' || value.trim() === '0' || FALSE_WORDS.has(value.trim())
}

function isOn(value: string): boolean {
  return value.trim() === '1' || TRUE_WORDS.has(value.trim())
}
