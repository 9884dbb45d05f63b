/** Characters that end or widen a token of a subject. */
const UNSAFE = /[.*> \t\r\n]/g

/** Makes an id one token of a subject: unsafe characters become `-`. */
export function toToken(id: string): string {
  return id.replace(UNSAFE, '-')
}

/** Requests and messages to one worker, by its id. */
export type NodeTopic =
  | 'backend.install'
  | 'backend.upgrade'
  | 'backend.delete'
  | 'backend.list'
  | 'backend.stop'
  | 'model.stop'
  | 'model.unload'
  | 'model.delete'
  | 'models.running'
  | 'stop'
  | 'files.ensure'
  | 'files.stage'
  | 'files.temp'
  | 'files.listdir'

/** The subject of a worker: `nodes.<id>.<topic>`. */
export function nodeSubject(nodeId: string, topic: NodeTopic): string {
  return `nodes.${toToken(nodeId)}.${topic}`
}

/** Progress of an installation on a worker: `nodes.<id>.backend.install.<operation>.progress`. */
export function installProgressSubject(nodeId: string, operationId: string): string {
  return `nodes.${toToken(nodeId)}.backend.install.${toToken(operationId)}.progress`
}

/** Hints between front ends, by the subject of the bus inside the server: `svc.hints.<subject>`. */
export function hintSubject(subject: string): string {
  return `svc.hints.${subject}`
}

/** All hints. */
export const ALL_HINTS = 'svc.hints.>'

/** Calls of one front end to another: `svc.front-ends.<id>.<topic>`. No worker may listen there. */
export function frontEndSubject(id: string, topic: FrontEndTopic): string {
  return `svc.front-ends.${toToken(id)}.${topic}`
}

/** `alive` is answered by a front end that runs; `models.follow` has it read the models and replicas. */
export type FrontEndTopic = 'models.follow' | 'alive'

/** Says that a front end ends: `{ id }`. */
export const FRONT_END_LEFT = 'svc.front-ends-left'
