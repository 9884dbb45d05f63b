import type { BuiltinName } from '../builtin-names.ts'
import { beginsDigits } from './digit-groups.ts'
import { emailAt, isAtSign } from './email.ts'
import { beginsIban, ibanAt } from './iban.ts'
import { beginsIpAddress, ipAddressAt } from './ip-address.ts'
import { beginsSpanishId, NATIONAL_IDS, nationalIdAt, spanishIdAt } from './national-ids.ts'
import { paymentCardAt } from './payment-card.ts'
import { beginsPhone, phoneAt } from './phone.ts'
import { type Candidates, type ShapeAt, type StructuredSearch, searchShape } from './search.ts'

/** A built-in that is found by its shape and checked: off unless it is named. */
export interface StructuredBuiltin {
  readonly name: BuiltinName
  readonly aliases: readonly BuiltinName[]
  readonly group: string
  readonly groupAliases: readonly string[]
  readonly search: StructuredSearch
}

function builtin(name: BuiltinName, group: string, mayBe: Candidates, shapeAt: ShapeAt): StructuredBuiltin {
  return { name, aliases: [], group, groupAliases: [], search: searchShape(mayBe, shapeAt) }
}

/** The structured built-ins, the more specific before the more general. */
export const STRUCTURED_BUILTINS: readonly StructuredBuiltin[] = [
  builtin('iban', 'IBAN', beginsIban, ibanAt),
  builtin('credit_card', 'CREDITCARD', beginsDigits, paymentCardAt),
  builtin('email', 'EMAIL', isAtSign, emailAt),
  builtin('ip_address', 'IP_ADDRESS', beginsIpAddress, ipAddressAt),
  ...NATIONAL_IDS.map((id) => builtin(id.name, id.group, beginsDigits, nationalIdAt(id))),
  builtin('es_dni', 'ES_DNI', beginsSpanishId, spanishIdAt),
  builtin('phone', 'PHONE', beginsPhone, phoneAt),
]
