import { postgresAuthTables, sqliteAuthTables } from '@svc/auth/drizzle'
import {
  agentJobStepsOnPostgres,
  agentJobStepsOnSqlite,
  agentJobsOnPostgres,
  agentJobsOnSqlite,
  agentsOnPostgres,
  agentsOnSqlite,
  agentTasksOnPostgres,
  agentTasksOnSqlite,
} from './tables/agents.ts'
import { auditEventsOnPostgres, auditEventsOnSqlite } from './tables/audit.ts'
import {
  modelLoadJobsOnPostgres,
  modelLoadJobsOnSqlite,
  modelSchedulingOnPostgres,
  modelSchedulingOnSqlite,
  nodeReplicasOnPostgres,
  nodeReplicasOnSqlite,
  nodesOnPostgres,
  nodesOnSqlite,
  pendingBackendOpsOnPostgres,
  pendingBackendOpsOnSqlite,
  replicaUsesOnPostgres,
  replicaUsesOnSqlite,
} from './tables/cluster.ts'
import {
  documentBatchesOnPostgres,
  documentBatchesOnSqlite,
  documentChunksOnPostgres,
  documentChunksOnSqlite,
  documentFilesOnPostgres,
  documentFilesOnSqlite,
  documentStoresOnPostgres,
  documentStoresOnSqlite,
} from './tables/document-stores.ts'
import { filePiecesOnPostgres, filePiecesOnSqlite } from './tables/file-pieces.ts'
import { frontEndsOnPostgres, frontEndsOnSqlite } from './tables/front-ends.ts'
import { generatedFilesOnPostgres, generatedFilesOnSqlite } from './tables/generated-files.ts'
import { instanceOnPostgres, instanceOnSqlite } from './tables/instance.ts'
import { knownFilesOnPostgres, knownFilesOnSqlite } from './tables/known-files.ts'
import { operationsOnPostgres, operationsOnSqlite } from './tables/operations.ts'
import { piiConversationsOnPostgres, piiConversationsOnSqlite } from './tables/pii-conversations.ts'
import { realtimeSecretsOnPostgres, realtimeSecretsOnSqlite } from './tables/realtime-secrets.ts'
import {
  responseEventsOnPostgres,
  responseEventsOnSqlite,
  responseItemsOnPostgres,
  responseItemsOnSqlite,
  responsesOnPostgres,
  responsesOnSqlite,
} from './tables/responses.ts'
import { routerCorporaOnPostgres, routerCorporaOnSqlite } from './tables/router-corpora.ts'
import { sharedDocumentsOnPostgres, sharedDocumentsOnSqlite } from './tables/shared-documents.ts'
import { signInAttemptsOnPostgres, signInAttemptsOnSqlite } from './tables/sign-in-attempts.ts'
import { storedFilesOnPostgres, storedFilesOnSqlite } from './tables/stored-files.ts'

/** The tables on SQLite. */
export const sqliteTables = {
  instance: instanceOnSqlite,
  responses: responsesOnSqlite,
  responseItems: responseItemsOnSqlite,
  responseEvents: responseEventsOnSqlite,
  auditEvents: auditEventsOnSqlite,
  operations: operationsOnSqlite,
  knownFiles: knownFilesOnSqlite,
  generatedFiles: generatedFilesOnSqlite,
  storedFiles: storedFilesOnSqlite,
  documentStores: documentStoresOnSqlite,
  documentFiles: documentFilesOnSqlite,
  documentBatches: documentBatchesOnSqlite,
  documentChunks: documentChunksOnSqlite,
  agents: agentsOnSqlite,
  agentTasks: agentTasksOnSqlite,
  agentJobs: agentJobsOnSqlite,
  agentJobSteps: agentJobStepsOnSqlite,
  realtimeSecrets: realtimeSecretsOnSqlite,
  nodes: nodesOnSqlite,
  nodeReplicas: nodeReplicasOnSqlite,
  replicaUses: replicaUsesOnSqlite,
  modelLoadJobs: modelLoadJobsOnSqlite,
  modelScheduling: modelSchedulingOnSqlite,
  pendingBackendOps: pendingBackendOpsOnSqlite,
  sharedDocuments: sharedDocumentsOnSqlite,
  frontEnds: frontEndsOnSqlite,
  routerCorpora: routerCorporaOnSqlite,
  filePieces: filePiecesOnSqlite,
  signInAttempts: signInAttemptsOnSqlite,
  piiConversations: piiConversationsOnSqlite,
  ...sqliteAuthTables,
}

/** The same tables on PostgreSQL; `schema.test.ts` checks that both are equal. */
export const postgresTables = {
  instance: instanceOnPostgres,
  responses: responsesOnPostgres,
  responseItems: responseItemsOnPostgres,
  responseEvents: responseEventsOnPostgres,
  auditEvents: auditEventsOnPostgres,
  operations: operationsOnPostgres,
  knownFiles: knownFilesOnPostgres,
  generatedFiles: generatedFilesOnPostgres,
  storedFiles: storedFilesOnPostgres,
  documentStores: documentStoresOnPostgres,
  documentFiles: documentFilesOnPostgres,
  documentBatches: documentBatchesOnPostgres,
  documentChunks: documentChunksOnPostgres,
  agents: agentsOnPostgres,
  agentTasks: agentTasksOnPostgres,
  agentJobs: agentJobsOnPostgres,
  agentJobSteps: agentJobStepsOnPostgres,
  realtimeSecrets: realtimeSecretsOnPostgres,
  nodes: nodesOnPostgres,
  nodeReplicas: nodeReplicasOnPostgres,
  replicaUses: replicaUsesOnPostgres,
  modelLoadJobs: modelLoadJobsOnPostgres,
  modelScheduling: modelSchedulingOnPostgres,
  pendingBackendOps: pendingBackendOpsOnPostgres,
  sharedDocuments: sharedDocumentsOnPostgres,
  frontEnds: frontEndsOnPostgres,
  routerCorpora: routerCorporaOnPostgres,
  filePieces: filePiecesOnPostgres,
  signInAttempts: signInAttemptsOnPostgres,
  piiConversations: piiConversationsOnPostgres,
  ...postgresAuthTables,
}

/** The tables by their names in the code. Queries use the tables of SQLite and run on either database. */
export type Tables = typeof sqliteTables
