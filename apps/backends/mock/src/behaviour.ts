import type { MockBehaviour, MockRule, MockScript } from './script.ts'

/** The facts of a call that rules match. */
export interface ScriptedCall {
  /** Name of the rpc, such as `Predict`. */
  readonly rpc: string
  /** The n-th call of its rpc, from 1. */
  readonly call: number
  /** All text of the request. */
  readonly text: string
}

/** Rpcs about the process and its model. A rule reaches them by name only. */
const ABOUT_THE_PROCESS = new Set([
  'Health',
  'LoadModel',
  'Free',
  'Status',
  'GetMetrics',
  'ModelMetadata',
  'Capabilities',
])

/** The behaviour of a call by the script. */
export function chooseBehaviour(script: MockScript, call: ScriptedCall): MockBehaviour {
  const rule = script.rules?.find((one) => matches(one, call))
  return rule?.do ?? {}
}

function matches(rule: MockRule, { rpc, call, text }: ScriptedCall): boolean {
  return (
    (rule.rpc === undefined ? !ABOUT_THE_PROCESS.has(rpc) : matchesName(rule.rpc, rpc)) &&
    (rule.call === undefined || rule.call === call) &&
    (rule.contains === undefined || text.includes(rule.contains))
  )
}

function matchesName(pattern: string, rpc: string): boolean {
  return pattern.endsWith('*') ? rpc.startsWith(pattern.slice(0, -1)) : rpc === pattern
}

/** Collects every string of a request, however deep. */
export function collectRequestText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return ''
  return Object.values(value).map(collectRequestText).filter(Boolean).join('\n')
}
