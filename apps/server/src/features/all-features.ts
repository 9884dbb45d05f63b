import { accountsFeature } from '../api/accounts/feature.ts'
import { agentsFeature } from '../api/admin/agents/feature.ts'
import { backendFeature } from '../api/admin/backend/feature.ts'
import { backendLogsFeature } from '../api/admin/backend-logs/feature.ts'
import { brandingFeature } from '../api/admin/branding/feature.ts'
import { collectionsFeature } from '../api/admin/collections/feature.ts'
import { corsProxyFeature } from '../api/admin/cors-proxy/feature.ts'
import { discoveryFeature } from '../api/admin/discovery/feature.ts'
import { documentationFeature } from '../api/admin/docs/feature.ts'
import { failoverFeature } from '../api/admin/failover/feature.ts'
import { galleriesFeature } from '../api/admin/galleries/feature.ts'
import { interceptionFeature } from '../api/admin/interception/feature.ts'
import { mcpFeature } from '../api/admin/mcp/feature.ts'
import { middlewareFeature } from '../api/admin/middleware/feature.ts'
import { modelConfigFeature } from '../api/admin/model-config/feature.ts'
import { modelFactsFeature } from '../api/admin/model-facts/feature.ts'
import { modelFilesFeature } from '../api/admin/models/feature.ts'
import { nodesFeature } from '../api/admin/nodes/feature.ts'
import { operationsFeature } from '../api/admin/operations/feature.ts'
import { peersFeature } from '../api/admin/p2p/feature.ts'
import { piiFeature } from '../api/admin/pii/feature.ts'
import { pricesFeature } from '../api/admin/prices/feature.ts'
import { routerFeature } from '../api/admin/router/feature.ts'
import { settingsFeature } from '../api/admin/settings/feature.ts'
import { skillsFeature } from '../api/admin/skills/feature.ts'
import { systemFeature } from '../api/admin/system/feature.ts'
import { tracesFeature } from '../api/admin/traces/feature.ts'
import { usageFeature } from '../api/admin/usage/feature.ts'
import { audioFeature } from '../api/formats/audio/feature.ts'
import { imagesFeature } from '../api/formats/images/feature.ts'
import { messagesFeature } from '../api/formats/messages/feature.ts'
import { ollamaFeature } from '../api/formats/ollama/feature.ts'
import { openaiFeature } from '../api/formats/openai/feature.ts'
import { rerankFeature } from '../api/formats/rerank/feature.ts'
import { responsesFeature } from '../api/formats/responses/feature.ts'
import { scoreFeature } from '../api/formats/score/feature.ts'
import { slotsFeature } from '../api/formats/slots/feature.ts'
import { storesFeature } from '../api/formats/stores/feature.ts'
import { tokenizeFeature } from '../api/formats/tokenize/feature.ts'
import { documentsFeature } from '../api/formats/vector-stores/feature.ts'
import { generatedFilesFeature } from '../api/generated/feature.ts'
import { mcpFeature as ownMcpFeature } from '../api/mcp/feature.ts'
import { realtimeFeature } from '../api/realtime/feature.ts'
import { webFeature } from '../api/web/feature.ts'
import type { CreateFeature } from '../platform/feature.ts'
import { diagnosticsFeature } from './diagnostics.ts'
import { namedModelsFeature } from './named-models.ts'
import { preloadFeature } from './preload.ts'
import { startInstallsFeature } from './start-installs.ts'

/** The features of the server, in the order of their routes. They close in reverse order. */
export const ALL_FEATURES: readonly CreateFeature[] = [
  systemFeature,
  webFeature,
  discoveryFeature,
  documentationFeature,
  brandingFeature,
  accountsFeature,
  backendFeature,
  modelFilesFeature,
  modelFactsFeature,
  galleriesFeature,
  modelConfigFeature,
  openaiFeature,
  ollamaFeature,
  messagesFeature,
  responsesFeature,
  rerankFeature,
  tokenizeFeature,
  scoreFeature,
  audioFeature,
  realtimeFeature,
  imagesFeature,
  generatedFilesFeature,
  slotsFeature,
  storesFeature,
  documentsFeature,
  // before agents: the name of an agent takes the place of `collections` and `skills` in paths
  collectionsFeature,
  skillsFeature,
  agentsFeature,
  piiFeature,
  routerFeature,
  middlewareFeature,
  interceptionFeature,
  failoverFeature,
  usageFeature,
  pricesFeature,
  tracesFeature,
  backendLogsFeature,
  corsProxyFeature,
  mcpFeature,
  // before operations: their queue starts once their work is known
  nodesFeature,
  settingsFeature,
  operationsFeature,
  peersFeature,
  ownMcpFeature,
  diagnosticsFeature,
  preloadFeature,
  startInstallsFeature,
  namedModelsFeature,
]
