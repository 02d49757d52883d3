// Shows what will be seen of a picture before it is sent; it can be dragged, moved by arrow keys, and enlarged.
// The server cuts it (`pictures/cropping.py`): we send the edges, as fractions of its sides.

const STEP = 0.05;
const ARROWS = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, -STEP], ArrowDown: [0, STEP] };

function crop(box) {
  const canvas = box.querySelector("canvas");
  const zoom = box.querySelector("[type=range]");
  const edges = box.querySelector("[type=hidden]");
  const file = document.getElementById(box.dataset.file);
  let picture;
  let centre;

  // What is seen, as fractions of the sides.
  function span() {
    const ratio = canvas.width / canvas.height / (picture.width / picture.height);
    return [Math.min(1, ratio) / zoom.value, Math.min(1, 1 / ratio) / zoom.value];
  }

  function draw() {
    const seen = span();
    centre = centre.map((at, axis) => Math.min(1 - seen[axis] / 2, Math.max(seen[axis] / 2, at)));
    const [left, top] = centre.map((at, axis) => at - seen[axis] / 2);
    const { width, height } = picture;
    const paper = canvas.getContext("2d");
    paper.fillStyle = "white";
    paper.fillRect(0, 0, canvas.width, canvas.height);
    paper.drawImage(picture, left * width, top * height, seen[0] * width, seen[1] * height, 0, 0, canvas.width, canvas.height);
    const inside = (at) => Math.min(1, Math.max(0, at)).toFixed(4);
    edges.value = [left, top, left + seen[0], top + seen[1]].map(inside).join(" ");
  }

  function move(x, y) {
    const seen = span();
    centre = [centre[0] + x * seen[0], centre[1] + y * seen[1]];
    draw();
  }

  async function begin() {
    const [chosen] = file.files;
    picture = chosen && (await createImageBitmap(chosen).catch(() => null));
    box.hidden = !picture;
    edges.value = "";
    if (!picture) return;
    centre = [0.5, 0.5];
    zoom.value = 1;
    draw();
  }

  canvas.onpointerdown = (event) => canvas.setPointerCapture(event.pointerId);
  canvas.onpointermove = (event) => {
    if (!canvas.hasPointerCapture(event.pointerId)) return;
    move(-event.movementX / canvas.clientWidth, -event.movementY / canvas.clientHeight);
  };
  canvas.onkeydown = (event) => {
    const way = ARROWS[event.key];
    if (!way && !"+-".includes(event.key)) return;
    event.preventDefault();
    if (way) return move(...way);
    if (event.key === "+") zoom.stepUp(4);
    else zoom.stepDown(4);
    draw();
  };
  zoom.oninput = draw;
  file.addEventListener("change", begin);
  begin(); // after Back, the browser may have kept the file
}

document.querySelectorAll(".crop").forEach(crop);
