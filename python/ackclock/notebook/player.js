/**
 * The player in a cell: a page in a frame, whose requests go to Python and whose answers come back as bytes.
 * The frame has an origin of its own, so neither can the page reach the notebook nor do their styles meet.
 */

function render({ model, el }) {
  // One widget may be shown in several cells; each hears all answers.
  const view = Math.random().toString(36).slice(2);
  const frame = document.createElement("iframe");
  frame.title = "Player";
  frame.setAttribute("sandbox", "allow-scripts allow-downloads");
  frame.style.cssText = "display: block; width: 100%; border: 1px solid #8884; border-radius: 6px;";
  const resize = () => (frame.style.height = `${model.get("height_px")}px`);
  const asked = ({ source, data }) => {
    if (source !== frame.contentWindow || typeof data?.path !== "string") return;
    model.send({ view, request: data.ackclock, path: data.path });
  };
  const answered = (message, buffers) => {
    if (message.view !== view) return;
    const { buffer, byteOffset, byteLength } = buffers[0];
    const body = buffer.slice(byteOffset, byteOffset + byteLength);
    frame.contentWindow?.postMessage({ ackclock: message.request, status: message.status, body }, "*", [body]);
  };
  addEventListener("message", asked);
  model.on("msg:custom", answered);
  model.on("change:height_px", resize);
  resize();
  frame.srcdoc = model.get("page");
  el.append(frame);
  return () => {
    removeEventListener("message", asked);
    model.off("msg:custom", answered);
    model.off("change:height_px", resize);
  };
}

export default { render };
