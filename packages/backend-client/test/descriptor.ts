import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fromBinary } from '@bufbuild/protobuf'
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  type FieldDescriptorProto,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  type FileDescriptorProto,
  FileDescriptorSetSchema,
  type MethodDescriptorProto,
} from '@bufbuild/protobuf/wkt'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** The descriptor that protoc makes of one of our files. */
export function describe(file: string): FileDescriptorProto {
  const folder = mkdtempSync(join(tmpdir(), 'svc-descriptor-'))
  try {
    const out = join(folder, 'out.bin')
    execFileSync(process.execPath, [
      join(root, 'node_modules/protoc/protoc.cjs'),
      `--proto_path=${join(root, 'protos')}`,
      `--descriptor_set_out=${out}`,
      file,
    ])
    const [descriptor] = fromBinary(FileDescriptorSetSchema, readFileSync(out)).file
    if (!descriptor) throw new Error(`protoc described nothing for ${file}`)
    return descriptor
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Rpcs in the notation of the contract table. */
export function printRpcs(file: FileDescriptorProto): string[] {
  return file.service.flatMap((service) => service.method.map(printRpc))
}

function printRpc({ name, inputType, outputType, clientStreaming, serverStreaming }: MethodDescriptorProto): string {
  const kind = clientStreaming ? ' bidi' : serverStreaming ? ' server stream' : ''
  return `${name}(${shortName(inputType)}) ${shortName(outputType)}${kind}`
}

/** Messages in the notation of the contract table, by name. */
export function printMessages(file: FileDescriptorProto): Record<string, string> {
  return Object.fromEntries(file.messageType.map((message) => [message.name, printMessage(message)]))
}

function printMessage(message: DescriptorProto): string {
  const fields = message.field.map((field) => printField(field, message))
  const reserved = message.reservedRange.flatMap(({ start, end }) =>
    Array.from({ length: end - start }, (_, index) => `reserved ${start + index}`),
  )
  const real = message.oneofDecl.filter(
    (_, index) => !message.field.some((f) => f.proto3Optional && f.oneofIndex === index),
  )
  const prefix = real.map(({ name }) => `oneof ${name}: `).join('')
  return prefix + [...fields, ...reserved].join('; ')
}

function printField(field: FieldDescriptorProto, parent: DescriptorProto): string {
  const entry = parent.nestedType.find(
    (nested) => nested.options?.mapEntry && field.typeName.endsWith(`.${nested.name}`),
  )
  if (entry) {
    const [key, value] = entry.field.map(printType)
    return `${field.number} ${field.name} map<${key}, ${value}>`
  }
  const isRepeated = field.label === FieldDescriptorProto_Label.REPEATED
  return `${field.number} ${field.name} ${printType(field)}${isRepeated ? '[]' : ''}${field.proto3Optional ? '?' : ''}`
}

function printType(field: FieldDescriptorProto): string {
  if (field.typeName !== '') return field.typeName.slice(field.typeName.lastIndexOf('.') + 1)
  return FieldDescriptorProto_Type[field.type].toLowerCase()
}

/** Enums in the notation of the contract table, by name within the package. */
export function printEnums(file: FileDescriptorProto): Record<string, string> {
  const nested = file.messageType.flatMap((message) =>
    message.enumType.map((type) => [`${message.name}.${type.name}`, printEnum(type)] as const),
  )
  return Object.fromEntries([...file.enumType.map((type) => [type.name, printEnum(type)] as const), ...nested])
}

function printEnum(type: EnumDescriptorProto): string {
  return type.value.map(({ name, number }) => `${name}=${number}`).join('; ')
}

function shortName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}
