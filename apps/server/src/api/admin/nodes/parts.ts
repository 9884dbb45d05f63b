import type { Nodes } from '../../../cluster/nodes/open-nodes.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Operations } from '../../../operations/operations.ts'
import type { OutboundClient } from '../../../outbound/client.ts'
import type { Clock } from '../../../ports.ts'
import type { Takeover } from './takeover-notes.ts'

/** Credentials of the bus for a worker. */
export type MintCredentials = (node: {
  readonly id: string
  readonly kind: 'backend' | 'agent'
}) => Promise<{ readonly jwt: string; readonly seed: string }>

/** Parts of the routes of workers. */
export interface NodeRouteParts {
  readonly nodes: Nodes
  readonly bodies: BodyReader
  readonly operations: Operations
  readonly outbound: OutboundClient
  readonly clock: Pick<Clock, 'sleep'>
  readonly registrationToken: string
  /** Galleries of backends that a worker gets where a request names none, JSON text; undefined: its own. */
  readonly backendGalleries: () => string | undefined
  /** Undefined: workers bring their own credentials, or need none. */
  readonly mintCredentials: MintCredentials | undefined
  /** Notes that a machine was refused the name of another. */
  readonly noteTakeover: (attempt: Takeover) => Promise<void>
  /** Whether a worker whose disk is too full gets no model. */
  readonly isDiskChecked: () => boolean
  /** Whether all workers have the files of the models. */
  readonly isShared: boolean
  /** Concurrency groups of a model; none where it is not known. */
  readonly groupsOf: (model: string) => readonly string[]
}
