/** The key of a replica's process at its worker. */
export function toProcessKey(model: string, replicaIndex: number): string {
  return `${model}#${replicaIndex}`
}
