/**
 * Frees the memory of bytes that own all of it and are no longer used. Waiting for the garbage
 * collector makes V8 collect the whole heap after some tens of megabytes, which holds the event
 * loop for 20 ms and more.
 */
export function freeMemory({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) buffer.transfer(0)
}
