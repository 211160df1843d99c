/** The value at `index` if the first `count` values were sorted. Reorders them. */
export function nthOf(values: Float64Array, count: number, index: number): number {
  let [low, high] = [0, count - 1]
  // Values can be chosen so that each round removes only a few of them. Sorting ends that.
  let rounds = 4 * Math.ceil(Math.log2(count + 1))
  while (low < high) {
    if (rounds-- === 0) {
      values.subarray(low, high + 1).sort()
      return values[index] as number
    }
    const pivot = middleOfThree(values, low, high)
    let [left, right] = [low, high]
    while (left <= right) {
      while ((values[left] as number) < pivot) left++
      while ((values[right] as number) > pivot) right--
      if (left <= right) {
        const value = values[left] as number
        values[left++] = values[right] as number
        values[right--] = value
      }
    }
    if (index <= right) high = right
    else if (index >= left) low = left
    else return values[index] as number
  }
  return values[low] as number
}

/** The median of the first `count` values: the middle one, or the mean of both middle ones. */
export function middleOf(values: Float64Array, count: number): number {
  const upper = nthOf(values, count, count >> 1)
  if (count % 2 === 1) return upper
  // After the search, all smaller values lie before the middle.
  let lower = values[0] as number
  for (let i = 1; i < count >> 1; i++)
    if ((values[i] as number) > lower) lower = values[i] as number
  const sum = lower + upper
  return Number.isFinite(sum) ? sum / 2 : lower / 2 + upper / 2
}

function middleOfThree(values: Float64Array, low: number, high: number): number {
  const a = values[low] as number
  const b = values[(low + high) >> 1] as number
  const c = values[high] as number
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c))
}
