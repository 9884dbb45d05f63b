import { postgresAuthTables, sqliteAuthTables } from '@svc/auth/drizzle'

/** The tables of accounts, keys, sessions, invites, groups, usage and quotas, which the library of accounts declares. */
export const {
  users: usersOnSqlite,
  sessions: sessionsOnSqlite,
  apiKeys: apiKeysOnSqlite,
  invites: invitesOnSqlite,
  signIns: signInsOnSqlite,
  usedTokens: usedTokensOnSqlite,
  knownAddresses: knownAddressesOnSqlite,
  facts: factsOnSqlite,
  usageRecords: usageRecordsOnSqlite,
  usageSums: usageSumsOnSqlite,
  groups: groupsOnSqlite,
  groupMembers: groupMembersOnSqlite,
  usageLabelSums: usageLabelSumsOnSqlite,
  usageLabels: usageLabelsOnSqlite,
  limits: limitsOnSqlite,
  quotaRules: quotaRulesOnSqlite,
  quotaCounters: quotaCountersOnSqlite,
  quotaReservations: quotaReservationsOnSqlite,
} = sqliteAuthTables

export const {
  users: usersOnPostgres,
  sessions: sessionsOnPostgres,
  apiKeys: apiKeysOnPostgres,
  invites: invitesOnPostgres,
  signIns: signInsOnPostgres,
  usedTokens: usedTokensOnPostgres,
  knownAddresses: knownAddressesOnPostgres,
  facts: factsOnPostgres,
  usageRecords: usageRecordsOnPostgres,
  usageSums: usageSumsOnPostgres,
  groups: groupsOnPostgres,
  groupMembers: groupMembersOnPostgres,
  usageLabelSums: usageLabelSumsOnPostgres,
  usageLabels: usageLabelsOnPostgres,
  limits: limitsOnPostgres,
  quotaRules: quotaRulesOnPostgres,
  quotaCounters: quotaCountersOnPostgres,
  quotaReservations: quotaReservationsOnPostgres,
} = postgresAuthTables
