import type { AuditLog } from '../audit/audit-log.ts'
import type { ChangeLog } from '../audit/changes.ts'
import type { Bus } from '../bus/bus.ts'
import type { ConfigStore } from '../catalog/folder-store.ts'
import type { KeyFileGate } from '../catalog/key-file-gate.ts'
import type { ModelDirectory } from '../catalog/resolve.ts'
import type { OpenStorage } from '../cluster/object-storage/open-storage.ts'
import type { ServerConfig } from '../config/schema.ts'
import type { Database } from '../db/database.ts'
import type { FileLock } from '../files/file-lock.ts'
import type { BackendGallery } from '../galleries/backend-gallery.ts'
import type { ModelGallery } from '../galleries/model-gallery.ts'
import type { GeneratedFiles } from '../generated-files/generated-files.ts'
import type { BodyReader } from '../http/body.ts'
import type { CompressionPolicy } from '../http/compression.ts'
import type { FormReader } from '../http/forms/form-reader.ts'
import type { InnerCalls } from '../http/inner-calls.ts'
import type { Authenticator } from '../http/middleware/authenticate.ts'
import type { RouteInfo } from '../http/route-info.ts'
import type { TunnelledClients } from '../http/tunnelled-clients.ts'
import type { RequestCore } from '../inference/core/pipeline.ts'
import type { DeliverTo } from '../inference/replies/deliver-reply.ts'
import type { OpenOwnTools } from '../inference/tools/server-tools.ts'
import type { OwnPlaces } from '../key-files/own-places.ts'
import type { RootLogger } from '../logging/log.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import type { Unready } from '../monitoring/readiness.ts'
import type { Traces } from '../monitoring/traces/create-traces.ts'
import type { Operations } from '../operations/operations.ts'
import type { OutboundClient } from '../outbound/client.ts'
import type { ConversationTokens } from '../pii/conversation-tokens.ts'
import type { Clock } from '../ports.ts'
import type { ClientSecrets } from '../realtime/client-secrets.ts'
import type { Settings } from '../settings/settings.ts'
import type { OpenPrices } from '../spend/prices.ts'
import type { BackendModule } from './compose-backends.ts'
import type { LazyAgents } from './lazy/lazy-agents.ts'
import type { LazyAssistant } from './lazy/lazy-assistant.ts'
import type { LazyCollections } from './lazy/lazy-collections.ts'
import type { LazyDocuments } from './lazy/lazy-documents.ts'
import type { LazyFederation } from './lazy/lazy-federation.ts'
import type { LazyInference } from './lazy/lazy-inference.ts'
import type { LazyInterception } from './lazy/lazy-interception.ts'
import type { LazyPeerNetwork } from './lazy/lazy-peer-network.ts'
import type { LazyRealtime } from './lazy/lazy-realtime.ts'
import type { LazySkills } from './lazy/lazy-skills.ts'
import type { OpenStages } from './lazy/lazy-stages.ts'
import type { LazyToolServers } from './lazy/lazy-tool-servers.ts'
import type { LazyVectorStores } from './lazy/lazy-vector-stores.ts'
import type { AccountModule } from './open-accounts.ts'
import type { Cluster } from './open-data.ts'

/** The parts of the server that its features share. A feature takes the parts that it needs. */
export interface Platform {
  readonly config: ServerConfig
  /** The version of the server, as `/version` shows it. */
  readonly version: string
  /** Carries hints between the parts of the server. */
  readonly bus: Bus
  /** What joins this server with others; undefined without `--distributed`. */
  readonly cluster: Cluster | undefined
  /**
   * Lets the replicas at workers go that have another configuration than their models.
   *
   * @returns those whose processes have not ended yet; 0 without workers. Never rejects
   */
  readonly settleReplicas: (models: readonly string[]) => Promise<number>
  /** Files that all front ends and workers reach; undefined where none is set. */
  readonly storage: OpenStorage | undefined
  readonly clock: Clock
  readonly log: RootLogger
  readonly settings: Settings
  readonly database: Database
  /** The claim on the data folder. */
  readonly lock: FileLock
  readonly metrics: Metrics
  readonly audit: AuditLog
  /** The part of the audit log that keeps changes of the server and of accounts. */
  readonly changes: ChangeLog
  /** What models cost. */
  readonly prices: OpenPrices
  readonly traces: Traces
  readonly authenticator: Authenticator
  readonly accounts: AccountModule
  /** The models by name, as the settings are now. */
  readonly models: ModelDirectory
  /** The files of the models. */
  readonly modelFiles: ConfigStore
  /** Decides which key files models may name. */
  readonly keyFileGate: KeyFileGate
  /** Files of this server that no model may read or replace. */
  readonly places: OwnPlaces
  /** Loads the parser of model files. Until it settles no request but health checks may be served. */
  readonly loadParser: () => Promise<void>
  readonly backends: BackendModule
  /** Fetches from servers elsewhere. */
  readonly outbound: OutboundClient
  /** Background changes of models and backends. */
  readonly operations: Operations
  readonly modelGallery: ModelGallery
  readonly backendGallery: BackendGallery
  readonly inference: LazyInference
  /** The models of pipelines as stages of spoken conversations. */
  readonly openStages: OpenStages
  /** Spoken conversations. */
  readonly realtime: LazyRealtime
  /** Short-lived credentials for spoken conversations. */
  readonly realtimeSecrets: ClientSecrets
  /** The peers that share requests. */
  readonly federation: LazyFederation
  /** The peer-to-peer network. */
  readonly peerNetwork: LazyPeerNetwork
  readonly interception: LazyInterception
  /** The vector stores of this process. */
  readonly vectorStores: LazyVectorStores
  /** Uploaded files, and the stores in which their texts are found. */
  readonly documents: LazyDocuments
  /** Masked values of conversations. */
  readonly piiConversations: Pick<ConversationTokens, 'removeOwner'>
  /** Agents, tasks and jobs. */
  readonly agents: LazyAgents
  /** The MCP servers of models. */
  readonly toolServers: LazyToolServers
  /** The tools with which an assistant runs this server. */
  readonly assistant: LazyAssistant
  /** Gives the assistant's tools to a chat. */
  readonly assistantTools: OpenOwnTools
  /** Requests that the server makes to its own routes. */
  readonly innerCalls: InnerCalls
  /** Collections of documents that agents search. */
  readonly collections: LazyCollections
  /** Skills of agents. */
  readonly skills: LazySkills
  readonly bodies: BodyReader
  readonly forms: FormReader
  /** Files that models made. */
  readonly generatedFiles: GeneratedFiles
  readonly compression: CompressionPolicy
  /** Clients that reach this server through the peer-to-peer network. */
  readonly tunnels: TunnelledClients
  /** Options of `defineInferenceRoute`. */
  readonly inferenceRoutes: {
    readonly core: RequestCore
    readonly deliverTo: DeliverTo
    readonly compression: CompressionPolicy
    readonly bodies: BodyReader
    readonly forms: FormReader
  }
  /** The folder of the packed web interface; undefined where there is none. */
  readonly webFolder: string | undefined
  /** The port of this server; undefined before it listens. */
  readonly ownPort: () => number | undefined
  /** The route table; complete once every feature is created. */
  readonly routes: () => readonly RouteInfo[]
  /** The reason why a feature, or a stop, keeps the server from taking requests. */
  readonly unready: () => Unready | undefined
}
