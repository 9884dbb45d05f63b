import { apiKeysOnPostgres, apiKeysOnSqlite } from './tables/api-keys.ts'
import { factsOnPostgres, factsOnSqlite } from './tables/facts.ts'
import { groupMembersOnPostgres, groupMembersOnSqlite, groupsOnPostgres, groupsOnSqlite } from './tables/groups.ts'
import { invitesOnPostgres, invitesOnSqlite } from './tables/invites.ts'
import { knownAddressesOnPostgres, knownAddressesOnSqlite } from './tables/known-addresses.ts'
import { limitsOnPostgres, limitsOnSqlite } from './tables/limits.ts'
import {
  quotaCountersOnPostgres,
  quotaCountersOnSqlite,
  quotaReservationsOnPostgres,
  quotaReservationsOnSqlite,
  quotaRulesOnPostgres,
  quotaRulesOnSqlite,
} from './tables/quotas.ts'
import { sessionsOnPostgres, sessionsOnSqlite } from './tables/sessions.ts'
import { signInsOnPostgres, signInsOnSqlite } from './tables/sign-ins.ts'
import {
  usageLabelSumsOnPostgres,
  usageLabelSumsOnSqlite,
  usageLabelsOnPostgres,
  usageLabelsOnSqlite,
  usageRecordsOnPostgres,
  usageRecordsOnSqlite,
  usageSumsOnPostgres,
  usageSumsOnSqlite,
} from './tables/usage.ts'
import { usedTokensOnPostgres, usedTokensOnSqlite } from './tables/used-tokens.ts'
import { usersOnPostgres, usersOnSqlite } from './tables/users.ts'

/** The tables on SQLite. */
export const sqliteAuthTables = {
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
}

/** The same tables on PostgreSQL. */
export const postgresAuthTables = {
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
}

/** The tables by their names in the code. Queries are written against those of SQLite and run on either. */
export type AuthTables = typeof sqliteAuthTables

/** The database in use. */
export type Dialect = 'sqlite' | 'postgres'

/** The tables of a dialect, under the types of SQLite: the builders of both have the same methods. */
export function pickTables(dialect: Dialect): AuthTables {
  return dialect === 'sqlite' ? sqliteAuthTables : (postgresAuthTables as unknown as AuthTables)
}
