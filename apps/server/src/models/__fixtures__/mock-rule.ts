import type { MockBehaviour, MockRule } from '@svc/backend-mock/script'

/** What the mock does on the calls that match. */
export function mockRule(match: Omit<MockRule, 'then'>, behaviour: MockBehaviour): MockRule {
  return { ...match, then: behaviour }
}
