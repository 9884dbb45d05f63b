/**
 * The ports of the library: stores, a clock, a log.
 *
 * @module
 */

export type { CallOptions, Clock, Logger } from './clock.ts'
export type {
  ApiKey,
  ApiKeyStore,
  FoundKey,
  FoundSession,
  Invite,
  InviteStore,
  KeyAddress,
  KeyBlock,
  KeyChange,
  KeyFilter,
  KeyScopes,
  KnownAddressStore,
  NewInvite,
  Session,
  SessionStore,
  SignInStore,
  UsedTokenStore,
} from './credentials.ts'
export type { Group, GroupStore, Membership, MembershipOrigin, StoredGroup } from './groups.ts'
export type { CalendarUnit, Limit, LimitStore, LimitSubjectKind, LimitWindow } from './limits.ts'
export type { Stores } from './stores.ts'
export type {
  BoundKind,
  CountedRule,
  CounterBucket,
  CounterChange,
  LimitRule,
  PassedLimit,
  QuotaCounter,
  QuotaRequest,
  QuotaRule,
  QuotaSettlement,
  QuotaStore,
  QuotaVerdict,
  RuleBounds,
  RuleCount,
  UsageGroup,
  UsageLabel,
  UsageQuery,
  UsageRecord,
  UsageSource,
  UsageStore,
} from './usage.ts'
export type {
  ChangeOutcome,
  ModelAllowList,
  Page,
  ProfileChange,
  Provider,
  Registration,
  RegistrationMode,
  RegistrationOutcome,
  RightsStore,
  Role,
  User,
  UserStatus,
  UserStore,
} from './users.ts'
