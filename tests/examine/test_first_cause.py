"""What a text comes to by the facts that it states: the first cause, how sure, and what stands beside it."""

import pytest

from gpudoctor.report.triage import headline, others, remedy_for, similar_threads

TF1 = """tensorflow/core/common_runtime/gpu/gpu_device.cc:885] Found device 0 with properties:
name: GeForce GTX 1070
major: 6 minor: 1 memoryClockRate (GHz) 1.683
pciBusID 0000:01:00.0
Total memory: 7.92GiB
Free memory: {}
failed to allocate {} from device: CUDA_ERROR_OUT_OF_MEMORY"""
NO_DEVICE_DRIVER = 'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].'


@pytest.mark.parametrize(
    ("text", "cause", "confidence"),
    [
        # The message alone names the build.
        ("AssertionError: Torch not compiled with CUDA enabled", "torch-cpu-only", "likely"),
        # The command that starts the container gives it no GPU.
        ("Ollama uses the CPU only\ndocker run -d -p 11434:11434 ollama/ollama", "container-no-gpu-flag", "likely"),
        ("Ollama uses the CPU only\ndocker run -d --gpus=all ollama/ollama", None, None),
        # What needs an NVIDIA GPU, beside another maker's.
        (f"{NO_DEVICE_DRIVER}\nGPU: Intel Iris Xe", "container-wants-absent-nvidia-gpu", "likely"),
        (f"{NO_DEVICE_DRIVER}\nGPU: RTX 3060", "ctk-missing", "possible"),
        (
            "CUDA driver version is insufficient for CUDA runtime version\nGPU: Intel Iris Xe\ntorch==2.0.0+cu118",
            "program-for-another-maker",
            "likely",
        ),
        # NVIDIA's tools are there, or they had printed nothing.
        (
            "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.4, please update your driver",
            "driver-too-old",
            "likely",
        ),
        # Memory that was taken before the program took any.
        (TF1.format("190.31MiB", "190.31M"), "other-process-holds-memory", "likely"),
        # A branch alone, which counts as its newest release.
        ("driver version: 391, GTX 1060, torch 2.0.1+cu118: is_available() False", "driver-too-old", "likely"),
        ("driver 450, RTX 2080, torch 2.0.1+cu118: is_available() False", None, None),
        ("Ollama uses no GPU\nyour nvidia driver is too old or missing, please upgrade", "driver-too-old", "likely"),
        ("Driver 550, two RTX 4090\nIt hangs forever at Initializing NCCL", "nccl-p2p-geforce", "likely"),
        (
            "the provided PTX was compiled with an unsupported toolchain\nnvcc of CUDA 12.4, driver 525.85",
            "driver-minor-compat-limit",
            "likely",
        ),
        ("CUDA error: no kernel image is available for execution\nGPU: RTX 5080", "arch-too-new-for-build", "likely"),
        # Where it ran, and what was asked, decide between the causes of one message.
        (
            "the Colab notebook says: Found no NVIDIA driver on your system\nMy card is a Radeon RX 6600",
            "notebook-limits",
            "likely",
        ),
        ("I built PyTorch 2.4 from source: Torch not compiled with CUDA enabled", "built-without-gpu", "likely"),
        (
            "image nvidia/cuda:12.1.0-base-ubuntu22.04: torch.cuda.is_available() is False",
            "container-no-gpu-flag",
            "likely",
        ),
        (
            "After a couple of days Ollama stops using the GPU and uses the CPU; restarting the docker container helps",
            "container-cgroup-device-lost",
            "possible",
        ),
        (
            (
                "Kubernetes: Detected non-NVML platform: could not load NVML library: libnvidia-ml.so.1: cannot open"
                " shared object file: No such file or directory"
            ),
            "kubernetes-runtime-class",
            "possible",
        ),
        (
            "Couldn't install torch\nPython 3.11.0\npip install torch==1.12.1+cu113",
            "python-unsupported-by-framework",
            "likely",
        ),
        (
            "Lmod has detected the following error: The following module(s) are unknown: conda",
            "module-not-loaded",
            "likely",
        ),
        (
            '找不到指定的程序。 Error loading "cudnn_cnn64_9.dll" or one of its dependencies',
            "cudnn-two-copies",
            "likely",
        ),
        ("I upgraded my drivers to 545.29.02 and it has broken vLLM on two GPUs", "driver-release-fault", "possible"),
        ("ModuleNotFoundError: No module named 'flash_attn_2_cuda'", "compiled-part-missing", "likely"),
        ("nvidia-smi shows ERR! in the fan column\nunspecified launch failure", "xid-79", "possible"),
        ('no CUDA-capable device; "NVIDIA TU104GL [Tesla T4]" driver in use: vfio-pci', "gpu-passed-through", "likely"),
        # In WSL, Windows is what is around it.
        (
            (
                "GPU not found on WSL\nI did `sudo apt install nvidia-driver-535` inside WSL2 Ubuntu.\n"
                "Failed to initialize NVML: N/A\nWindows 11, RTX 3080"
            ),
            "wsl-linux-driver-installed",
            "likely",
        ),
        # Two builds of one module.
        ("It uses the CPU\n$ pip list\nonnxruntime 1.17.1\nonnxruntime-gpu 1.17.1", "files-overwritten", "likely"),
        ("tensorflow==1.13.1 beside tensorflow-gpu==1.13.1 uses the CPU", "files-overwritten", "likely"),
        ("It uses the CPU\n$ pip list\nonnxruntime-gpu 1.17.1", None, None),
    ],
)
def test_first_cause(judged, text, cause, confidence):
    found = judged(text)
    first = found.causes[0] if found.named and not found.causes[0].is_effect else None
    if cause is None:
        assert first is None or first.key not in ("files-overwritten", "container-no-gpu-flag")
    else:
        assert first is not None
        assert (first.key, first.confidence) == (cause, confidence)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("GPU: RTX 2080 Ti, driver 470, torch 1.12.1+cu113", "driver 470.x"),
        ("nvidia driver == 530 and an RTX 3090", "driver 530.x"),
        ("With the 535 driver my RTX 3090 is slow", "driver 535.x"),
        ("driver 535.104.05 of the 535 drivers", "driver 535.104.05"),
        ("load cuda driver library=/usr/lib/x86_64-linux-gnu/libcuda.so.470.239.06", "driver 470.239.06"),
        ("TensorFlow does not see my RTX 3060 in WSL on Windows 11", "WSL"),
        ("[Bug]: it hangs on 2x RTX 4090 with tensor parallel 2", "2 x NVIDIA GeForce RTX 4090"),
        ("Windows 11 WSL2, an RTX 4050, Error 801?", "WSL 2"),
        ("cudnn-11.2-windows-x64-v8.1.1.33 and paddlepaddle-gpu 2.1.1", "cuDNN 8.1.1"),
        ("torch 2.5.1: I use the driver 440 MB download", None),
        ("torch 2.5.1: driver 390-server is what apt offers", None),
    ],
)
def test_what_is_read(judged, text, read):
    found = [one.text for one in judged(text).contents.facts]
    assert read in found if read else not any(one.startswith("driver") for one in found)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("Fine-tuning llama 7B on 4 x 3090\n{}", "LoRA"),
        ("Out of memory at inference, batch 1\n{}", "inference_mode"),
        ("Fine-tuning my detector\n{}", "smaller batch"),
    ],
)
def test_what_to_do_about_a_full_gpu(judged, text, word):
    assert word in remedy_for(judged(text.format("torch.cuda.OutOfMemoryError: CUDA out of memory."))).say


def test_one_fact_that_rules_out_several_is_told_once(judged):
    found = judged("torch 2.5.1+cu124: torch.cuda.is_available() is False")
    assert len({one.because for one in found.ruled_out}) == len(found.ruled_out) == 1


def test_a_command_s_companions_are_not_held_against_the_torch_of_another_python(judged):
    """They belong to the torch that the command names, not to the one that is printed."""
    command = "pip install torch==2.4.1 torchvision==0.19.1 torchaudio==2.4.1"
    assert "torch-companion-version" not in {one.key for one in judged(f"{command}\n\nPyTorch version: 2.3.1").causes}
    both = "PyTorch version: 2.3.1\ntorchaudio version: 2.4.1"
    assert "torch-companion-version" in {one.key for one in judged(both).causes}


def test_a_harmless_line_is_not_what_a_program_ends_with(judged):
    found = judged(
        "UserWarning: WARNING: Compute capability < 7.5 detected! Only slow 8-bit matmul is supported for your GPU!\n"
        "Could not find the quantized model in .pt or .safetensors format, exiting...\n"
    )
    assert not found.named or found.causes[0].key != "harmless"
    assert found.contents.error.text.startswith("Could not find the quantized model")


def test_what_is_much_less_likely_is_listed_on_request_only(judged):
    found = judged("A module that was compiled using NumPy 1.x cannot be run in\nNumPy 2.0.0 as it may crash.")
    assert found.causes[0].key == "numpy2-abi"
    assert len(found.causes) > 1
    assert not [line for line in others(found) if not line.startswith("It is not")]
    assert [line for line in others(found, everything=True) if not line.startswith("It is not")]


def test_a_thread_beside_a_cause_is_one_of_that_cause(judged):
    found = judged("RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB")
    assert headline(found).startswith("Possible cause")
    assert {one.cause for one in found.similar} <= {found.causes[0].key}
    assert all("http" in line for line in similar_threads(found))


def test_a_card_whose_first_letter_was_lost_is_no_second_one(judged):
    line = "VIDIA GeForce RTX 5090 with CUDA capability sm_120 is not compatible with the current PyTorch installation."
    assert not judged(f"RTX 5090\n\n{line}").contents.disputes
