import type { Listen } from '@svc/auth/drizzle'
import type { Stores } from '@svc/auth/ports'
import { createLazy } from '../../concurrency/lazy.ts'
import type { Database } from '../../db/database.ts'

/** The stores of accounts in a database. The first call of any loads the code of all. */
export function createAccountStores(database: Database): Stores {
  const listen: Listen | undefined =
    database.dialect === 'postgres' ? (channel, onNotice) => database.listen(channel, onNotice) : undefined
  const { open } = createLazy(async () => {
    const { createDrizzleStores } = await import('@svc/auth/drizzle')
    return createDrizzleStores({
      dialect: database.dialect,
      queries: database.queries,
      readHeavily: (query, options) => database.read(query, options),
      listen,
    })
  })
  return {
    users: {
      register: async (asked, call) => (await open()).users.register(asked, call),
      findById: async (asked, call) => (await open()).users.findById(asked, call),
      findLocal: async (asked, call) => (await open()).users.findLocal(asked, call),
      findBySubject: async (asked, call) => (await open()).users.findBySubject(asked, call),
      list: async (asked, call) => (await open()).users.list(asked, call),
      readLastSeen: async (asked, call) => (await open()).users.readLastSeen(asked, call),
      hasUsers: async (call) => (await open()).users.hasUsers(call),
      setProfile: async (asked, other, call) => (await open()).users.setProfile(asked, other, call),
      setRole: async (asked, other, call) => (await open()).users.setRole(asked, other, call),
      setStatus: async (asked, other, call) => (await open()).users.setStatus(asked, other, call),
      setFeatures: async (asked, other, call) => (await open()).users.setFeatures(asked, other, call),
      setAllowedModels: async (asked, other, call) => (await open()).users.setAllowedModels(asked, other, call),
      setPassword: async (asked, other, call) => (await open()).users.setPassword(asked, other, call),
      replacePasswordHash: async (asked, other, call) => (await open()).users.replacePasswordHash(asked, other, call),
      remove: async (asked, call) => (await open()).users.remove(asked, call),
    },
    rights: {
      revision: async (call) => (await open()).rights.revision(call),
      ...(listen === undefined ? {} : { listen: async (onChange) => (await open()).rights.listen?.(onChange) }),
    },
    sessions: {
      create: async (asked, call) => (await open()).sessions.create(asked, call),
      findByHash: async (asked, call) => (await open()).sessions.findByHash(asked, call),
      findById: async (asked, call) => (await open()).sessions.findById(asked, call),
      rotate: async (asked, call) => (await open()).sessions.rotate(asked, call),
      remove: async (asked, call) => (await open()).sessions.remove(asked, call),
      removeByUser: async (asked, call) => (await open()).sessions.removeByUser(asked, call),
      removeByProvider: async (asked, call) => (await open()).sessions.removeByProvider(asked, call),
      removeExpired: async (asked, call) => (await open()).sessions.removeExpired(asked, call),
    },
    apiKeys: {
      create: async (asked, call) => (await open()).apiKeys.create(asked, call),
      findByHash: async (asked, call) => (await open()).apiKeys.findByHash(asked, call),
      findById: async (asked, call) => (await open()).apiKeys.findById(asked, call),
      listByUser: async (asked, other, call) => (await open()).apiKeys.listByUser(asked, other, call),
      list: async (asked, call) => (await open()).apiKeys.list(asked, call),
      edit: async (asked, other, call) => (await open()).apiKeys.edit(asked, other, call),
      rotate: async (asked, other, call) => (await open()).apiKeys.rotate(asked, other, call),
      remove: async (asked, call) => (await open()).apiKeys.remove(asked, call),
      touch: async (asked, call) => (await open()).apiKeys.touch(asked, call),
      removeExpired: async (asked, call) => (await open()).apiKeys.removeExpired(asked, call),
    },
    invites: {
      create: async (asked, call) => (await open()).invites.create(asked, call),
      list: async (asked, call) => (await open()).invites.list(asked, call),
      isValid: async (asked, call) => (await open()).invites.isValid(asked, call),
      revoke: async (asked, call) => (await open()).invites.revoke(asked, call),
    },
    signIns: {
      begin: async (asked, call) => (await open()).signIns.begin(asked, call),
      consume: async (asked, call) => (await open()).signIns.consume(asked, call),
    },
    usedTokens: {
      isUsed: async (asked, call) => (await open()).usedTokens.isUsed(asked, call),
      use: async (asked, call) => (await open()).usedTokens.use(asked, call),
    },
    knownAddresses: {
      note: async (asked, call) => (await open()).knownAddresses.note(asked, call),
      isKnown: async (asked, call) => (await open()).knownAddresses.isKnown(asked, call),
      removeOld: async (asked, call) => (await open()).knownAddresses.removeOld(asked, call),
    },
    ...lazyFigures(open, database),
  }
}

/** The stores of what callers use and may use. */
function lazyFigures(
  open: () => Promise<Stores>,
  database: Pick<Database, 'queries'>,
): Pick<Stores, 'usage' | 'limits' | 'quotas' | 'groups'> {
  return {
    usage: {
      append: async (asked, call) => (await open()).usage.append(asked, call),
      group: async (asked, call) => (await open()).usage.group(asked, call),
      backfillSources: async (call) => (await open()).usage.backfillSources(call),
      prune: async (asked, call) => (await open()).usage.prune(asked, call),
    },
    limits: {
      // Most servers have no limits, and their first request loads no stores for them.
      list: async (call) => ((await database.queries.holdsRows('auth_limits')) ? (await open()).limits.list(call) : []),
      create: async (asked, call) => (await open()).limits.create(asked, call),
      change: async (asked, call) => (await open()).limits.change(asked, call),
      remove: async (asked, call) => (await open()).limits.remove(asked, call),
      removeOldCounters: async (asked, call) => (await open()).limits.removeOldCounters(asked, call),
    },
    groups: {
      list: async (call) => (await open()).groups.list(call),
      create: async (asked, call) => (await open()).groups.create(asked, call),
      change: async (asked, call) => (await open()).groups.change(asked, call),
      remove: async (asked, call) => (await open()).groups.remove(asked, call),
      listByUser: async (asked, call) => (await open()).groups.listByUser(asked, call),
      listMemberships: async (asked, call) => (await open()).groups.listMemberships(asked, call),
      countMembers: async (call) => (await open()).groups.countMembers(call),
      listMembers: async (asked, other, call) => (await open()).groups.listMembers(asked, other, call),
      add: async (asked, call) => (await open()).groups.add(asked, call),
      removeMember: async (asked, call) => (await open()).groups.removeMember(asked, call),
      assign: async (asked, call) => (await open()).groups.assign(asked, call),
    },
    quotas: {
      listRules: async (asked, call) => (await open()).quotas.listRules(asked, call),
      listRulesByUsers: async (asked, call) => (await open()).quotas.listRulesByUsers(asked, call),
      putRule: async (asked, call) => (await open()).quotas.putRule(asked, call),
      removeRule: async (asked, call) => (await open()).quotas.removeRule(asked, call),
      readCounters: async (asked, call) => (await open()).quotas.readCounters(asked, call),
      writeCounters: async (asked, call) => (await open()).quotas.writeCounters(asked, call),
      removeStray: async (asked) => (await open()).quotas.removeStray(asked),
      apply: async (asked, call) => (await open()).quotas.apply(asked, call),
    },
  }
}
