/** The kinds of values that are invented. */
export const FAKE_KINDS = ['person', 'place', 'organisation', 'email', 'phone', 'ip_address', 'street_address'] as const

/** A kind of invented values. */
export type FakeKind = (typeof FAKE_KINDS)[number]
