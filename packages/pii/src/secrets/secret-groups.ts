import type { SECRET_NAMES } from './secret-names.ts'

/** A name of a kind of secret, neutral or of the vendor. */
type SecretName = (typeof SECRET_NAMES)[number]

/** The neutral names of kinds that also have the vendor's. */
const NEUTRAL_NAMES: { readonly [Name in SecretName]?: SecretName } = {
  anthropic_api_key: 'provider_b_api_key',
  openai_api_key: 'provider_a_api_key',
  github_token: 'codehost_token',
  github_pat: 'codehost_token',
  aws_access_key: 'cloud_access_key',
}

/** Groups that are not their kind's neutral name in capitals. */
const OTHER_GROUPS: { readonly [Name in SecretName]?: string } = {
  provider_b_api_key: 'PROVIDER_B_KEY',
  provider_a_api_key: 'PROVIDER_A_KEY',
  private_key_block: 'PRIVATE_KEY',
}

/** Groups of the vendors that settings may name. */
const GROUP_ALIASES: { readonly [Name in SecretName]?: readonly string[] } = {
  provider_b_api_key: ['ANTHROPIC_KEY'],
  provider_a_api_key: ['OPENAI_KEY'],
  codehost_token: ['GITHUB_TOKEN'],
  cloud_access_key: ['AWS_ACCESS_KEY'],
}

/** Other names of the group of a kind of secret, by its neutral name. */
export function toGroupAliases(name: SecretName): readonly string[] {
  return GROUP_ALIASES[name] ?? []
}

/** The neutral name of a kind of secret. */
export function toNeutralName(name: SecretName): SecretName {
  return NEUTRAL_NAMES[name] ?? name
}

/** The group of a kind of secret, by any of its names. Reads no form, so that a list of groups needs no catalogue. */
export function toSecretGroup(name: SecretName): string {
  const neutral = toNeutralName(name)
  return OTHER_GROUPS[neutral] ?? neutral.toUpperCase()
}
