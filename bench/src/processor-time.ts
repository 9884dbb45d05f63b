/** Seconds of processor time of some work, which other load on the machine affects little. */
export function seconds(work: () => void): number {
  const begun = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1e6
}
